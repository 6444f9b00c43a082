import type { ReminderRow, TodoRow } from "../../../shared/db/entities.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import { type RowRequest, settingsForUpdate } from "../../unit-of-work/row-request.ts";
import type { HandlerContext, LoadedTables } from "../handler.ts";
import { holdZone } from "./reminder.ts";
import { movedTime } from "./with-due-date.ts";

/** A reminder that moves needs the zone, which must not change before the commit. */
export const rowsToMoveReminder = (
  { reminders }: LoadedTables,
  { todo_id }: Readonly<{ todo_id: number }>,
): RowRequest[] => (reminders.get(todo_id) ? [settingsForUpdate] : []);

/** Moves a reminder with the due date of its todo, which may recur from now on. */
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
  movedTime(
    reminder,
    { from: before.due_date, to: after.due_date, recurs: after.recurrence != null },
    today.timeZone,
  );

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
