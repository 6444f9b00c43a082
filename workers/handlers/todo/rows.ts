import type { TodoRow } from "../../../shared/db/entities.ts";
import { presentTodo } from "../../../shared/db/present.ts";
import { forKeyShare, forUpdate, type RowRequest, withoutLock } from "../../unit-of-work/row-request.ts";
import type { HandlerContext, LoadedTables, Related } from "../handler.ts";

type OneTodo = Readonly<{ todo_id: number }>;

/** A todo with its reminder, which has the todo's id. */
export const lockTodo = ({ todo_id }: OneTodo): RowRequest[] => [
  forUpdate("todos", todo_id),
  forUpdate("reminders", todo_id),
];

/**
 * The category is part of the answer, and reopening a todo needs its successor. Completing a recurring todo makes a
 * successor in the same category, which must not be deleted meanwhile.
 */
export function relatedToTodo({ todos }: LoadedTables, { todo_id }: OneTodo): Related {
  const row = todos.get(todo_id);
  if (!row) return { rows: [] };
  const recurs = row.recurrence != null;
  const category = (recurs ? forKeyShare : withoutLock)("categories", row.category_id);
  const successor = row.next_todo_id == null ? [] : lockTodo({ todo_id: row.next_todo_id });
  return { rows: [...category, ...successor], makes: recurs ? ["todos"] : [] };
}

export function currentTodo(context: HandlerContext, { todo_id }: OneTodo) {
  const row = context.todos.get(todo_id);
  return row && todoAnswer(context, row);
}

/** @returns a changed todo as it is answered, with its category and reminder */
export function todoAnswer({ categories, reminders, viewer }: HandlerContext, row: TodoRow) {
  const category = row.category_id == null ? undefined : categories.get(row.category_id);
  return presentTodo(row, category, reminders.get(row.id), viewer);
}
