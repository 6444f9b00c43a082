import { isRefused } from "../../../shared/errors.ts";
import { categoriesToLock, categoryRows } from "../category/chosen.ts";
import type { Handler } from "../handler.ts";
import { rowsForTime } from "./reminder.ts";
import { lockTodo, relatedToTodo } from "./rows.ts";
import { todoUpdate } from "./update.ts";

/** Changes several todos alike. What is wrong with the change itself refuses all; a todo that is not there, only itself. */
export const todoUpdateMany: Handler<"todo.update-many"> = {
  rows: (input) => [
    ...input.todo_ids.flatMap((todo_id) => lockTodo({ todo_id })),
    ...categoryRows(input),
    ...rowsForTime(input.remind_at),
  ],
  related: (loaded, input) => ({
    rows: [
      ...input.todo_ids.flatMap((todo_id) => relatedToTodo(loaded, { todo_id }).rows),
      ...categoriesToLock(loaded, input),
    ],
  }),
  run(context, { todo_ids, ...change }) {
    const ends = [];
    for (const todo_id of todo_ids) {
      const end = todoUpdate.run(context, { todo_id, ...change });
      if (isRefused(end) && end.refusal.code === "invalid") return end;
      ends.push(isRefused(end) ? { todo_id, refusal: end.refusal } : { todo_id, todo: end });
    }
    return { ends };
  },
};
