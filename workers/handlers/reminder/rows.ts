import { presentReminder } from "../../../shared/db/present.ts";
import type { HandlerContext } from "../handler.ts";

/** @returns null for a todo that has no reminder */
export function currentReminder(
  { todos, reminders, viewer }: HandlerContext,
  { todo_id }: Readonly<{ todo_id: number }>,
) {
  if (!todos.get(todo_id)) return undefined;
  const reminder = reminders.get(todo_id);
  return reminder ? presentReminder(reminder, viewer) : null;
}
