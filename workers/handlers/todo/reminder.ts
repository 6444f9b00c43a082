import { hasOffset } from "../../../shared/contracts/todo/fields.ts";
import type { ReminderRow, TodoRow } from "../../../shared/db/entities.ts";
import { resolveLocalTime, timestamp, wallTimeAt, wallTimeOf } from "../../../shared/domain/day/day.ts";
import { invalid, type Refused } from "../../../shared/errors.ts";
import { type RowRequest, settingsForUpdate } from "../../unit-of-work/row-request.ts";
import type { HandlerContext, OwnTables } from "../handler.ts";
import { newUser } from "../user.ts";

/** A reminder as stored: without a wall time it was given as an instant. */
type StoredTime = Readonly<{ remind_at: string; wall_time?: string | null | undefined }>;

/** The due date and time of a todo, without a time where it has none. */
type Due = Readonly<Pick<TodoRow, "due_date" | "due_time">>;

/** A todo before and after its due date or time moved, or a completed one and its successor. */
type Move = Readonly<{ from: Due; to: Due; recurs: boolean }>;

/** The wall time of a reminder; that of an instant is in the user's zone. */
export function wallTimeOfReminder({ remind_at, wall_time }: StoredTime, timeZone: string): string {
  return wallTimeOf(wall_time ?? wallTimeAt(timestamp(remind_at), timeZone));
}

/**
 * The wall time of a reminder whose todo moves: as many days later or earlier as the due date, and as many minutes as
 * the due time, unless only one of both has a time. If a recurring todo had no due date, the reminder moves to the new
 * one.
 */
function movedWallTime(wallTime: string, { from, to, recurs }: Move): string {
  const base = from.due_date ?? (recurs ? wallTime.slice(0, 10) : null);
  if (base === null || to.due_date === null) return wallTime;
  const isTimed = from.due_time != null && to.due_time != null;
  const timeOn = ({ due_time }: Due) => (isTimed ? due_time : "00:00");
  const distance = Temporal.PlainDateTime.from(`${base}T${timeOn(from)}`).until(
    `${to.due_date}T${timeOn(to)}`,
  );
  return Temporal.PlainDateTime.from(wallTime).add(distance).toString();
}

/** The end of the times whose year has four digits in every zone. */
export const endOfTimes = Date.UTC(9999);

/**
 * The time of a reminder after a move. On a recurring todo it is a wall time from then on.
 * @returns undefined before 1970 or after 9998
 */
export function movedTime(
  reminder: StoredTime,
  move: Move,
  timeZone: string,
): { remind_at: string; wall_time: string | null } | undefined {
  const before = wallTimeOfReminder(reminder, timeZone);
  const wallTime = movedWallTime(before, move);
  const wall_time = move.recurs || reminder.wall_time != null ? wallTime : null;
  if (wallTime === before) return { remind_at: reminder.remind_at, wall_time };
  const instant = resolveLocalTime(wallTime, timeZone);
  const isOutside = instant < 0 || instant >= endOfTimes;
  return isOutside ? undefined : { remind_at: new Date(instant).toISOString(), wall_time };
}

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

/** A reminder that moves needs the zone, which must not change before the commit. */
export const rowsToMoveReminder = (
  { reminders }: OwnTables,
  { todo_id }: Readonly<{ todo_id: number }>,
): RowRequest[] => (reminders.get(todo_id) ? [settingsForUpdate] : []);

/** Moves a reminder with its todo's due date and time. The todo may recur from now on. */
export function moveReminder(context: HandlerContext, before: TodoRow, todo: TodoRow): void {
  const { reminders, now } = context;
  const reminder = reminders.get(todo.id);
  const time = reminder && timeAfter(context, reminder, before, todo);
  if (!time) return;
  const isMoved = time.remind_at !== reminder.remind_at;
  if (!isMoved && (time.wall_time === null) === (reminder.wall_time == null)) return;
  holdZone(context);
  const state = isMoved ? stateAt(context, time.remind_at, todo, reminder.status) : {};
  reminders.update(reminder, { ...time, ...state, updated_at: now });
}

/** Gives a successor the reminder of the completed todo, moved to its own due date. */
export function giveReminder(context: HandlerContext, completed: TodoRow, successor: TodoRow): void {
  const { reminders, now } = context;
  const reminder = reminders.get(completed.id);
  const time = reminder && timeAfter(context, reminder, completed, successor);
  if (!time) return;
  holdZone(context);
  const state = stateAt(context, time.remind_at, successor, "scheduled");
  reminders.insert({ todo_id: successor.id, ...time, ...state, created_at: now, updated_at: now });
}

const timeAfter = ({ today }: HandlerContext, reminder: ReminderRow, before: TodoRow, after: TodoRow) =>
  movedTime(reminder, { from: before, to: after, recurs: after.recurrence != null }, today.timeZone);

/** A moved reminder rings if its new time is ahead, even if it rang before. A delivery of the old time is cancelled. */
function stateAt(
  { acceptedAt }: HandlerContext,
  remindAt: string,
  { is_completed }: TodoRow,
  before: ReminderRow["status"],
): Pick<ReminderRow, "status" | "delivery_id"> {
  const isOver = before !== "scheduled" && before !== "suspended";
  const isAhead = Date.parse(timestamp(remindAt)) >= acceptedAt;
  const passed = isOver ? before : "missed";
  const ahead = is_completed ? "suspended" : "scheduled";
  return { status: isAhead ? ahead : passed, delivery_id: null };
}

/** Lets the reminder of a completed todo wait, and revives that of an open one if its time is still ahead. */
export function withItsReminder(context: HandlerContext, todo: TodoRow): TodoRow {
  const { reminders, now } = context;
  const reminder = reminders.get(todo.id);
  const state = reminder && stateBeside(context, todo, reminder);
  if (state) reminders.update(reminder, { ...state, updated_at: now });
  return todo;
}

function stateBeside(
  { acceptedAt }: HandlerContext,
  { is_completed }: TodoRow,
  { status, remind_at, delivery_id }: ReminderRow,
): Partial<ReminderRow> | undefined {
  if (is_completed) return status === "scheduled" ? { status: "suspended" } : undefined;
  if (status !== "suspended") return undefined;
  // A command that was accepted in time may be carried out after it: with a delivery the reminder rings already.
  const inTime = Date.parse(timestamp(remind_at)) >= acceptedAt && delivery_id == null;
  return inTime ? { status: "scheduled", delivery_id: null } : { status: "missed" };
}
