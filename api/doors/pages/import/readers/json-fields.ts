/** Reads parts of JSON that somebody else wrote: what is not of the expected kind is not there. */

/** No list of a real file is longer in the megabytes that are taken, but one of empty things could be ten times as long. */
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
