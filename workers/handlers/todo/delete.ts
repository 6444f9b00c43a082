import { notFound } from "../../../shared/errors.ts";
import type { Handler } from "../handler.ts";
import { currentTodo, lockTodo, relatedToTodo, todoAnswer } from "./rows.ts";

export const todoDelete: Handler<"todo.delete"> = {
  rows: lockTodo,
  related: relatedToTodo,
  current: currentTodo,
  run(context, { todo_id }) {
    const { todos, reminders } = context;
    const row = todos.get(todo_id);
    if (!row) return notFound("Todo");
    const was = todoAnswer(context, row);
    if (reminders.get(todo_id)) reminders.remove(todo_id);
    todos.remove(todo_id);
    return { id: todo_id, title: row.title, was };
  },
};
