/** Reads parts of foreign JSON: values of an unexpected type count as missing. */

/** No real list within the upload limit is longer, but a list of empty things could be ten times as long. */
const mostListed = 250_000;

type Fields = Readonly<Record<string, unknown>>;

export const objectIn = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};

export const listIn = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value.slice(0, mostListed) : [];

export const objectsIn = (value: unknown): readonly Fields[] => listIn(value).map(objectIn);

export const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

/** @returns the text; null when there is none */
export const textOrNull = (value: unknown): string | null =>
  typeof value === "string" && value.trim() !== "" ? value : null;

export const numberIn = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;
