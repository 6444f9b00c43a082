import { todoFields } from "../../../shared/contracts/todo/fields.ts";
import { isRefused, notFound } from "../../../shared/errors.ts";
import { categoriesToLock, categoryRows, chosenCategory } from "../category/chosen.ts";
import { givenColumns } from "../columns.ts";
import type { Handler } from "../handler.ts";
import { recurrenceColumns } from "./recurrence.ts";
import { checkIncomplete, putReminder, reminderTime, rowsForTime } from "./reminder.ts";
import { currentTodo, lockTodo, relatedToTodo, todoAnswer } from "./rows.ts";

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
    const { recurrence = row.recurrence, due_date = row.due_date } = input;
    const isRescheduled = input.recurrence !== undefined || input.due_date !== undefined;
    const updated = todos.update(row, {
      ...givenColumns(todoFields, { ...input, ...category }),
      ...(isRescheduled && recurrenceColumns(context, recurrence, due_date, row)),
      updated_at: context.now,
    });
    return todoAnswer(context, updated);
  },
};
