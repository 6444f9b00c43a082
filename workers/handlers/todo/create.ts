import { todoFields } from "../../../shared/contracts/todo/fields.ts";
import { isRefused } from "../../../shared/errors.ts";
import { categoryRows, chosenCategory, relatedToChoice } from "../category/chosen.ts";
import { newColumns } from "../columns.ts";
import type { Handler } from "../handler.ts";
import { dueTimeColumn } from "./due-time.ts";
import { recurrenceColumns } from "./recurrence.ts";
import { putReminder, reminderTime, rowsForTime } from "./reminder.ts";
import { todoAnswer } from "./rows.ts";

export const todoCreate: Handler<"todo.create"> = {
  stores: "more",
  makes: "todos",
  rows: (input) => [...categoryRows(input), ...(input.remind_at == null ? [] : rowsForTime(input.remind_at))],
  related: relatedToChoice,
  run(context, input) {
    const category = chosenCategory(context, input);
    if (isRefused(category)) return category;
    const reminder = input.remind_at == null ? null : reminderTime(context, input.remind_at);
    if (isRefused(reminder)) return reminder;
    const { recurrence, due_date = null } = input;
    const series = recurrence == null ? { due_date } : recurrenceColumns(context, recurrence, due_date);
    const timed = input.due_time == null ? {} : dueTimeColumn(series.due_date, input.due_time);
    if (isRefused(timed)) return timed;
    const refused = context.useQuota("todos");
    if (refused) return refused;
    const row = context.todos.insert({
      id: context.nextId("todos"),
      ...newColumns(todoFields, { ...input, ...category() }),
      ...series,
      former_category_id: null,
      created_at: context.now,
      updated_at: context.now,
    });
    if (reminder) putReminder(context, row, reminder);
    return todoAnswer(context, row);
  },
};
