import type { FoundRoute } from "./find-route.ts";

/** A field that is the id which an operation before it answers. */
export type Reference = Readonly<{ field: string; place: number }>;

const shape = /^\$(0|[1-9]\d?)\.id$/;

/** True if a text at an id's place is meant as a reference, well-formed or not. */
export const isReference = (value: unknown): value is string =>
  typeof value === "string" && value.startsWith("$");

/**
 * Reads a reference to one of the operations before it.
 * @param earlier undefined at the place of an operation that is refused itself
 * @returns the reference, or why it is none
 */
export function readReference(
  text: string,
  field: string,
  earlier: readonly (FoundRoute | undefined)[],
): Reference | string {
  const place = Number(shape.exec(text)?.[1] ?? Number.NaN);
  if (Number.isNaN(place)) return "A reference must be written like $0.id.";
  if (place >= earlier.length) return `A reference must be to an operation before this one; ${place} is not.`;
  const found = earlier[place];
  if (found && found.answersId !== field) return `Operation ${place} does not answer with a ${field}.`;
  return { field, place };
}
