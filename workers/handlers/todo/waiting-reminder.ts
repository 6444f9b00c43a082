import type { ReminderRow, TodoRow } from "../../../shared/db/entities.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import type { HandlerContext } from "../handler.ts";

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
