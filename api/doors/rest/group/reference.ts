import type { FoundRoute } from "./find-route.ts";

/** A field that takes the id which an earlier operation answers. */
export type Reference = Readonly<{ field: string; index: number }>;

const shape = /^\$(0|[1-9]\d?)\.id$/;

/** True if a text where an id belongs is meant as a reference, well-formed or not. */
export const isReference = (value: unknown): value is string =>
  typeof value === "string" && value.startsWith("$");

/**
 * Reads a reference to an earlier operation.
 * @param earlier undefined at the index of a refused operation
 * @returns the reference, or the reason why it is invalid
 */
export function readReference(
  text: string,
  field: string,
  earlier: readonly (FoundRoute | undefined)[],
): Reference | string {
  const index = Number(shape.exec(text)?.[1] ?? Number.NaN);
  if (Number.isNaN(index)) return "A reference must be written like $0.id.";
  if (index >= earlier.length) return `A reference must be to an operation before this one; ${index} is not.`;
  const found = earlier[index];
  if (found && found.answersId !== field) return `Operation ${index} does not answer with a ${field}.`;
  return { field, index };
}
