import { hasOffset } from "../../../shared/contracts/reminder-schema.ts";
import type { ReminderRow } from "../../../shared/db/entities.ts";
import { presentReminder } from "../../../shared/db/present.ts";
import { resolveLocalTime } from "../../../shared/domain/day.ts";
import { timestamp } from "../../../shared/domain/timestamp.ts";
import { conflict, invalid, notFound } from "../../../shared/errors.ts";
import { settingsForUpdate } from "../../unit-of-work/row-request.ts";
import type { Handler } from "../handler.ts";
import { lockTodo, relatedToTodo } from "../todo/rows.ts";
import { newUser } from "../user/settings.ts";
import { currentReminder } from "./rows.ts";

/** A slow request may ask for a time that has passed by up to this much (ms) meanwhile. */
const graceMs = 60_000;
/** The end of the times whose year has four digits in every zone. */
const endOfTimes = Date.UTC(9999);

export const reminderSet: Handler<"reminder.set"> = {
  // A wall time is turned into an instant by the zone, which must not change until that is committed.
  rows: (input) => [...lockTodo(input), ...(hasOffset(input.remind_at) ? [] : [settingsForUpdate])],
  related: relatedToTodo,
  current: currentReminder,
  run(context, { todo_id, remind_at }) {
    const { todos, reminders, users, today, acceptedAt, now } = context;
    const { instant, wallTime } = timeOf(remind_at, today.timeZone);
    if (instant < acceptedAt - graceMs)
      return invalid({ remind_at: ["The remind_at field must not be in the past."] });
    if (instant >= endOfTimes)
      return invalid({ remind_at: ["The remind_at field must be before the year 9999."] });
    const todo = todos.get(todo_id);
    if (!todo) return notFound("Todo");
    if (todo.is_completed) return conflict("Todo is already completed; a reminder needs an incomplete todo.");
    const fields = {
      remind_at: new Date(instant).toISOString(),
      wall_time: wallTime,
      status: "scheduled" as const,
      delivery_id: null,
      updated_at: now,
    };
    const before = reminders.get(todo_id);
    if (before && isRepeat(before, fields)) return presentReminder(before, today);
    // A user without settings has no row to lock, so a zone chosen at the same time would be missed.
    if (wallTime !== null && !users.get()) users.insert(newUser(context));
    todos.update(todo, { updated_at: now });
    const row = before
      ? reminders.update(before, fields)
      : reminders.insert({ todo_id, created_at: now, ...fields });
    return presentReminder(row, today);
  },
};

function timeOf(remindAt: string, timeZone: string): { instant: number; wallTime: string | null } {
  if (hasOffset(remindAt))
    return { instant: Temporal.Instant.from(remindAt).epochMilliseconds, wallTime: null };
  const wallTime = Temporal.PlainDateTime.from(remindAt).toString();
  return { instant: resolveLocalTime(wallTime, timeZone), wallTime };
}

/** Setting the same time again keeps the reminder, so that a repeated request does not ring twice. */
function isRepeat(before: ReminderRow, after: Pick<ReminderRow, "remind_at" | "wall_time">): boolean {
  const live = before.status === "scheduled" || before.status === "sent";
  const follows = (row: Pick<ReminderRow, "wall_time">) => row.wall_time != null;
  return (
    live && timestamp(before.remind_at) === timestamp(after.remind_at) && follows(before) === follows(after)
  );
}
