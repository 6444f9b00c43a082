import { type Static, Type } from "typebox";
import type { FieldProblems } from "../../errors.ts";
import { checkOneCategory } from "../category/name.ts";
import { checkChanges } from "../kernel/clear.ts";
import { Id, Name } from "../kernel/fields.ts";
import { ClearedFields, describing } from "./schema.ts";

/** The arguments of update-todo: changes of a todo, and names of fields to clear. */
export const ChangeArguments = Type.Object({
  todo_id: Id,
  title: Type.Optional(Name),
  ...describing,
  clear: Type.Optional(ClearedFields),
});

type Change = Static<typeof ChangeArguments>;

export const checkChange = ({ todo_id: _, ...change }: Change): FieldProblems | undefined =>
  checkOneCategory(change) ?? checkChanges("todo_id", change);

/** Fields of todos in other apps, each with the nearest field here. */
export const unlikeTodos: FieldProblems = {
  priority: [
    {
      reason: "Tools set no priority",
      next: "the person marks todos as important; a context such as urgent, or a due_date, can stand for it.",
    },
  ],
  subtasks: [
    {
      reason: "Todos have no subtasks",
      next: "make several by todos of create-todo, with a category or context in common.",
    },
  ],
};
