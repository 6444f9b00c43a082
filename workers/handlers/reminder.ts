import { hasOffset } from "../../shared/contracts/reminder.ts";
import { presentReminder } from "../../shared/db/present.ts";
import { resolveLocalTime } from "../../shared/domain/day.ts";
import { conflict, invalid, notFound } from "../../shared/errors.ts";
import type { Handler } from "../handler.ts";
import { lockTodo } from "../unit-of-work/load.ts";

/** A reminder up to this late (ms) is the present to a slow request, not the past. */
const tolerance = 60_000;

export const set: Handler<"reminder.set"> = {
  needs: ({ todo_id }) => lockTodo(todo_id),
  run({ todos, reminders, today, acceptedAt, now }, { todo_id, remind_at }) {
    const wallTime = hasOffset(remind_at) ? null : remind_at;
    const instant = wallTime === null ? Date.parse(remind_at) : resolveLocalTime(wallTime, today.timeZone);
    if (instant < acceptedAt - tolerance)
      return invalid({ remind_at: ["The remind_at field must not be in the past."] });
    const todo = todos.get(todo_id);
    if (!todo) return notFound("Todo");
    if (todo.is_completed) return conflict("Todo is already completed; a reminder needs an incomplete todo.");
    const fields = {
      remind_at: new Date(instant).toISOString(),
      wall_time: wallTime,
      status: "scheduled" as const,
      updated_at: now,
    };
    todos.update(todo, { updated_at: now });
    const before = reminders.get(todo_id);
    const row = before
      ? reminders.update(before, fields)
      : reminders.insert({ todo_id, created_at: now, ...fields });
    return presentReminder(row, today);
  },
};

export const clear: Handler<"reminder.clear"> = {
  needs: ({ todo_id }) => lockTodo(todo_id),
  run({ todos, reminders, now }, { todo_id }) {
    const todo = todos.get(todo_id);
    if (!todo) return notFound("Todo");
    if (!reminders.get(todo_id)) return null;
    reminders.remove(todo_id);
    todos.update(todo, { updated_at: now });
    return null;
  },
};
