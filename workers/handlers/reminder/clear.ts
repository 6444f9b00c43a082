import { notFound } from "../../../shared/errors.ts";
import type { Handler } from "../handler.ts";
import { lockTodo, relatedToTodo } from "../todo/rows.ts";
import { currentReminder } from "./rows.ts";

export const reminderClear: Handler<"reminder.clear"> = {
  rows: lockTodo,
  related: relatedToTodo,
  current: currentReminder,
  run({ todos, reminders, now }, { todo_id }) {
    const todo = todos.get(todo_id);
    if (!todo) return notFound("Todo");
    if (!reminders.get(todo_id)) return null;
    reminders.remove(todo_id);
    todos.update(todo, { updated_at: now });
    return null;
  },
};
