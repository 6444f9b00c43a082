import { hasOffset } from "../../../shared/contracts/todo/reminder-schema.ts";
import type { ReminderRow, TodoRow } from "../../../shared/db/entities.ts";
import { todoCompleted } from "../../../shared/domain/conflicts.ts";
import { resolveLocalTime, timestamp, wallTimeOf } from "../../../shared/domain/day/day.ts";
import { invalid, type Refused } from "../../../shared/errors.ts";
import { type RowRequest, settingsForUpdate } from "../../unit-of-work/row-request.ts";
import type { HandlerContext } from "../handler.ts";
import { newUser } from "../user/settings.ts";
import { endOfTimes, wallTimeOfReminder } from "./with-due-date.ts";

type ReminderTime = Pick<ReminderRow, "remind_at" | "wall_time">;

/** A slow request may ask for a time that has passed by up to this much (ms). */
const graceMs = 60_000;

/**
 * The zone of a wall time must not change before the commit. An instant becomes a wall time if its todo recurs, or
 * when a later command of the transaction moves it.
 */
export const rowsForTime = (remindAt: string | null | undefined): RowRequest[] =>
  remindAt == null ? [] : [settingsForUpdate];

/** The reminder's time as columns, unless it lies in the past. */
export function reminderTime(
  { today, acceptedAt }: HandlerContext,
  remindAt: string,
): ReminderTime | Refused {
  const { instant, wall_time } = timeOf(remindAt, today.timeZone);
  if (instant < acceptedAt - graceMs)
    return invalid({ remind_at: ["The remind_at field must not be in the past."] });
  if (instant >= endOfTimes)
    return invalid({ remind_at: ["The remind_at field must be before the year 9999."] });
  return { remind_at: new Date(instant).toISOString(), wall_time };
}

export const checkIncomplete = ({ is_completed }: TodoRow): Refused | undefined =>
  is_completed ? todoCompleted : undefined;

/** A user without settings has no row to lock, so a simultaneous choice of a zone would be missed. */
export function holdZone(context: HandlerContext): void {
  if (!context.users.get()) context.users.insert(newUser(context));
}

/** Sets or moves a todo's reminder. A recurring todo has a wall time, which its successors have on other days. */
export function putReminder(context: HandlerContext, todo: TodoRow, given: ReminderTime): ReminderRow {
  const { reminders, now, today } = context;
  const { id: todo_id, recurrence } = todo;
  const time =
    recurrence == null ? given : { ...given, wall_time: wallTimeOfReminder(given, today.timeZone) };
  const before = reminders.get(todo_id);
  if (before && hasTime(before, time)) return before;
  if (time.wall_time !== null) holdZone(context);
  const fields = { ...time, status: "scheduled" as const, delivery_id: null, updated_at: now };
  return before
    ? reminders.update(before, fields)
    : reminders.insert({ todo_id, created_at: now, ...fields });
}

function timeOf(remindAt: string, timeZone: string) {
  if (hasOffset(remindAt))
    return { instant: Temporal.Instant.from(remindAt).epochMilliseconds, wall_time: null };
  const wall_time = wallTimeOf(remindAt);
  return { instant: resolveLocalTime(wall_time, timeZone), wall_time };
}

/** Setting the same time again keeps the reminder, so that a repeated request does not ring twice. */
function hasTime(before: ReminderRow, time: ReminderTime): boolean {
  const live = ["scheduled", "sent", "unsent"].includes(before.status);
  const follows = (row: Pick<ReminderRow, "wall_time">) => row.wall_time != null;
  return (
    live && timestamp(before.remind_at) === timestamp(time.remind_at) && follows(before) === follows(time)
  );
}
