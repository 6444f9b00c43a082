import { notFound } from "../../../shared/errors.ts";
import type { Handler } from "../handler.ts";
import { currentTodo, lockTodo, relatedToTodo } from "./rows.ts";

export const todoDelete: Handler<"todo.delete"> = {
  rows: lockTodo,
  related: relatedToTodo,
  current: currentTodo,
  run({ todos, reminders }, { todo_id }) {
    if (!todos.get(todo_id)) return notFound("Todo");
    if (reminders.get(todo_id)) reminders.remove(todo_id);
    todos.remove(todo_id);
    return null;
  },
};
