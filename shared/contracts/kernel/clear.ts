import type { FieldProblems } from "../../errors.ts";

/** A tool clears a field by its name, because hosts in strict mode send null for each absent argument. */
type Change = Readonly<{ clear?: readonly string[] }> & Readonly<Record<string, unknown>>;

/** @param about the argument that the refusal of an empty change names */
export function checkChanges(about: string, { clear = [], ...given }: Change): FieldProblems | undefined {
  if (clear.length === 0 && Object.keys(given).length === 0)
    return {
      [about]: [
        {
          reason: "No change was given",
          next: "give at least one field a value, and empty fields by clear, not by null.",
        },
      ],
    };
  const both = clear.find((name) => given[name] !== undefined);
  const reason = `The clear field names ${both}, which is also given a value`;
  return both === undefined ? undefined : { clear: [{ reason, next: "send one of them." }] };
}

/** The fields of a change, with null for cleared ones. */
export const clearing = <Given extends Readonly<{ clear?: readonly string[] }>>({
  clear = [],
  ...fields
}: Given): Omit<Given, "clear"> => ({ ...fields, ...Object.fromEntries(clear.map((name) => [name, null])) });
