import { Type } from "typebox";
import * as category from "../../../../shared/contracts/category/contracts.ts";
import { Id, Name } from "../../../../shared/contracts/kernel/fields.ts";
import * as todo from "../../../../shared/contracts/todo/commands.ts";
import { AddedNote, checkRecurrence, todoFields } from "../../../../shared/contracts/todo/fields.ts";
import { invalid } from "../../../../shared/errors.ts";
import { checkOneCategory, does, newCategoryScope, quoteStored, tool } from "../tool.ts";
import { clearing, clearOf, refuseChange } from "./clear.ts";
import { OneTodoFacts, oneTodo, todoArguments } from "./todo.ts";

/** A category is renamed here, because this tool is the one that changes what many todos show. */
const renaming = { rename_category: Type.Optional(Name) };

export const updateTodoTool = tool({
  name: "update-todo",
  title: "Change todo",
  description:
    "Change fields of a todo, or of up to 25 alike by todo_ids; add_note appends a line to the description; clear empties fields by name. A reminder keeps its distance. rename_category renames category.",
  scopes: ["todos:write"],
  argumentScopes: { ...newCategoryScope, rename_category: "categories:write" },
  destructive: true,
  // A note is added each time.
  idempotent: false,
  arguments: Type.Object({
    todo_id: Type.Optional(Id),
    title: Type.Optional(Name),
    ...todoArguments,
    add_note: Type.Optional(AddedNote),
    ...clearOf(todoFields, "remind_at"),
    ...renaming,
  }),
  many: { todo_ids: "todo_id" },
  refine: checkOneCategory,
  alsoTold: checkRecurrence,
  act({ todo_id, ...change }) {
    if (change.rename_category !== undefined)
      return renameCategory(change.rename_category, { todo_id, ...change });
    if (todo_id === undefined) return invalid({ todo_id: ["The todo_id field is required."] });
    const input = { todo_id, ...clearing(change) };
    return (
      refuseChange("todo_id", change) ?? does(todo.updateTodo, input, (done) => oneTodo("Changed", done))
    );
  },
  facts: Type.Object({ ...OneTodoFacts.properties, category: Type.Optional(Type.String()) }),
});

type Beside = Readonly<{ category?: string }> & Readonly<Record<string, unknown>>;

function renameCategory(name: string, { category: old, rename_category: _, ...others }: Beside) {
  const beside = Object.keys(others).find((one) => others[one] !== undefined);
  if (beside !== undefined)
    return invalid({ [beside]: [`${beside} cannot be given beside rename_category.`] });
  if (old === undefined) return invalid({ category: ["The category field is required."] });
  return does(category.renameCategory, { category: old, name }, (renamed) => ({
    lines: [`Renamed the category ${quoteStored(old)} to ${quoteStored(renamed.name)}.`],
    facts: { category: renamed.name },
  }));
}
