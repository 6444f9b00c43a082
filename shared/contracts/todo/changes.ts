import { type Static, Type } from "typebox";
import type { FieldProblems } from "../../errors.ts";
import { Id, Name } from "../kernel/fields.ts";
import { ClearedFields, describing } from "./schema.ts";

/** The arguments of update-todo: changes of a todo, and names of fields to empty. */
export const ChangeArguments = Type.Object({
  todo_id: Id,
  title: Type.Optional(Name),
  ...describing,
  clear: Type.Optional(ClearedFields),
});

type Change = Static<typeof ChangeArguments>;

export function checkChange({ todo_id: _, clear = [], ...given }: Change): FieldProblems | undefined {
  if (clear.length === 0 && Object.keys(given).length === 0)
    return {
      todo_id: [
        {
          reason: "No change was given",
          next: "give at least one field a value, and empty fields by clear, not by null.",
        },
      ],
    };
  const both = clear.find((name) => given[name] !== undefined);
  const reason = `The clear field names ${both}, which is also given a value`;
  return both && { clear: [{ reason, next: "send one of them." }] };
}

export const changeInput = ({ clear = [], ...fields }: Change) => ({
  ...fields,
  ...Object.fromEntries(clear.map((name) => [name, null])),
});
