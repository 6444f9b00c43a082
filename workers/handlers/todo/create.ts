import { todoFields } from "../../../shared/contracts/todo/fields.ts";
import { isRefused } from "../../../shared/errors.ts";
import { categoriesToLock, categoryRows, chosenCategory } from "../category/chosen.ts";
import { newColumns } from "../columns.ts";
import type { Handler } from "../handler.ts";
import { recurrenceColumns } from "./recurrence.ts";
import { putReminder, reminderTime, rowsForTime } from "./reminder.ts";
import { todoAnswer } from "./rows.ts";

export const todoCreate: Handler<"todo.create"> = {
  stores: "more",
  makes: "todos",
  rows: (input) => [...categoryRows(input), ...(input.remind_at == null ? [] : rowsForTime(input.remind_at))],
  related: (loaded, input) => ({ rows: categoriesToLock(loaded, input) }),
  run(context, input) {
    const category = chosenCategory(context, input);
    if (isRefused(category)) return category;
    const reminder = input.remind_at == null ? null : reminderTime(context, input.remind_at);
    if (isRefused(reminder)) return reminder;
    const refused = context.useQuota("todos");
    if (refused) return refused;
    const row = context.todos.insert({
      id: context.nextId("todos"),
      ...newColumns(todoFields, { ...input, ...category }),
      ...(input.recurrence != null && recurrenceColumns(context, input.recurrence, input.due_date ?? null)),
      former_category_id: null,
      created_at: context.now,
      updated_at: context.now,
    });
    if (reminder) putReminder(context, row.id, reminder);
    return todoAnswer(context, row);
  },
};
