import { presentReminder } from "../../../shared/db/present.ts";
import { isRefused, notFound } from "../../../shared/errors.ts";
import type { Handler } from "../handler.ts";
import { checkIncomplete, putReminder, reminderTime, rowsForTime } from "../todo/reminder.ts";
import { lockTodo, relatedToTodo } from "../todo/rows.ts";
import { currentReminder } from "./rows.ts";

export const reminderSet: Handler<"reminder.set"> = {
  stores: "more",
  rows: (input) => [...lockTodo(input), ...rowsForTime(input.remind_at)],
  related: relatedToTodo,
  current: currentReminder,
  run(context, { todo_id, remind_at }) {
    const { todos, reminders, viewer, now } = context;
    const time = reminderTime(context, remind_at);
    if (isRefused(time)) return time;
    const todo = todos.get(todo_id);
    if (!todo) return notFound("Todo");
    const refused = checkIncomplete(todo);
    if (refused) return refused;
    const before = reminders.get(todo_id);
    const row = putReminder(context, todo, time);
    if (row !== before) todos.update(todo, { updated_at: now });
    return presentReminder(row, viewer);
  },
};
