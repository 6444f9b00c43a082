import type { TodoRow } from "../../../shared/db/entities.ts";
import { notFound } from "../../../shared/errors.ts";
import { forKeyShare } from "../../unit-of-work/row-request.ts";
import { checkCategory } from "../check-category.ts";
import type { Handler } from "../handler.ts";
import { patch } from "../patch.ts";
import { defaultRecurrenceFrom, recurrenceColumns } from "./recurrence.ts";
import { currentTodo, lockTodo, relatedToTodo, todoAnswer } from "./rows.ts";

export const todoUpdate: Handler<"todo.update"> = {
  rows: (input) => [...lockTodo(input), ...forKeyShare("categories", input.category_id)],
  related: relatedToTodo,
  current: currentTodo,
  run(context, { todo_id, recurrence, due_date, recurrence_from, ...input }) {
    const refused = checkCategory(context, input.category_id);
    if (refused) return refused;
    const row = context.todos.get(todo_id);
    if (!row) return notFound("Todo");
    const changed: Partial<TodoRow> = { ...patch(input), updated_at: context.now };
    if (recurrence !== undefined || due_date !== undefined) {
      const rule = recurrence === undefined ? (row.recurrence ?? null) : recurrence;
      const due = due_date === undefined ? (row.due_date ?? null) : due_date;
      Object.assign(changed, recurrenceColumns(context, rule, due, row));
    }
    if (recurrence_from !== undefined) changed.recurrence_from = recurrence_from ?? defaultRecurrenceFrom;
    return todoAnswer(context, context.todos.update(row, changed));
  },
};
