import type { Commands, InputOf } from "../../../shared/contracts/catalogue.ts";
import type { TodoRow } from "../../../shared/db/entities.ts";
import { isRefused, notFound } from "../../../shared/errors.ts";
import { categoriesToLock, categoryRows, chosenCategory } from "../category/chosen.ts";
import type { Handler, HandlerContext } from "../handler.ts";
import { patch } from "../patch.ts";
import { defaultRecurrenceFrom, recurrenceColumns } from "./recurrence.ts";
import { checkIncomplete, putReminder, reminderTime, rowsForTime } from "./reminder.ts";
import { currentTodo, lockTodo, relatedToTodo, todoAnswer } from "./rows.ts";

type TodoUpdate = InputOf<Commands["todo.update"]>;

export const todoUpdate: Handler<"todo.update"> = {
  stores: "more",
  rows: (input) => [...lockTodo(input), ...categoryRows(input), ...rowsForTime(input.remind_at)],
  related(loaded, input) {
    const { rows, makes } = relatedToTodo(loaded, input);
    return { rows: [...rows, ...categoriesToLock(loaded, input)], makes };
  },
  current: currentTodo,
  run(context, input) {
    const { todos, reminders } = context;
    const { todo_id, remind_at } = input;
    const category = chosenCategory(context, input);
    if (isRefused(category)) return category;
    const time = remind_at == null ? null : reminderTime(context, remind_at);
    if (isRefused(time)) return time;
    const row = todos.get(todo_id);
    if (!row) return notFound("Todo");
    const refused = time && checkIncomplete(row);
    if (refused) return refused;
    if (time) putReminder(context, todo_id, time);
    if (remind_at === null && reminders.get(todo_id)) reminders.remove(todo_id);
    const changed = { ...changedColumns(context, row, input), ...category };
    return todoAnswer(context, todos.update(row, changed));
  },
};

function changedColumns(context: HandlerContext, row: TodoRow, input: TodoUpdate): Partial<TodoRow> {
  const { title, description, time_of_day, estimated_minutes } = input;
  const { recurrence, due_date, recurrence_from } = input;
  const changed: Partial<TodoRow> = {
    ...patch({ title, description, time_of_day, estimated_minutes, context: input.context }),
    updated_at: context.now,
  };
  if (recurrence !== undefined || due_date !== undefined) {
    const rule = recurrence === undefined ? (row.recurrence ?? null) : recurrence;
    const due = due_date === undefined ? (row.due_date ?? null) : due_date;
    Object.assign(changed, recurrenceColumns(context, rule, due, row));
  }
  if (recurrence_from !== undefined) changed.recurrence_from = recurrence_from ?? defaultRecurrenceFrom;
  return changed;
}
