import { Type } from "typebox";
import type { DeclaredFields } from "../../../../shared/contracts/kernel/declared-fields.ts";
import { OneOf } from "../../../../shared/contracts/kernel/fields.ts";
import { invalid, type Refused } from "../../../../shared/errors.ts";

/** The argument that empties fields by their names, because hosts in strict mode send null for each absent argument. */
export function clearOf(fields: DeclaredFields, ...more: readonly string[]) {
  const declared = Object.entries(fields).filter(
    ([, { kind, update }]) => kind !== "link" && Type.IsUnion(update) && update.anyOf.some(Type.IsNull),
  );
  const names = [...declared.map(([name]) => name), "category", ...more];
  const expects = `a list of some of ${names.join(", ")}`;
  return { clear: Type.Optional(Type.Array(OneOf(names), { uniqueItems: true, expects })) };
}

type Change = Readonly<Record<string, unknown>> & Readonly<{ clear?: readonly string[] }>;

/** @param about the argument that the refusal of an empty change names */
export function refuseChange(about: string, { clear = [], ...given }: Change): Refused | undefined {
  if (clear.length === 0 && Object.keys(given).length === 0) {
    const next = "give at least one field a value, and empty fields by clear, not by null.";
    return invalid({ [about]: [{ reason: "No change was given", next }] });
  }
  const both = clear.find((name) => given[name] !== undefined);
  if (both === undefined) return undefined;
  const reason = `The clear field names ${both}, which is also given a value`;
  return invalid({ clear: [{ reason, next: "send one of them." }] });
}

/** The fields of a change, with null for cleared ones. */
export const clearing = <Given extends Readonly<{ clear?: readonly string[] }>>({
  clear = [],
  ...fields
}: Given): Omit<Given, "clear"> => ({ ...fields, ...Object.fromEntries(clear.map((name) => [name, null])) });
