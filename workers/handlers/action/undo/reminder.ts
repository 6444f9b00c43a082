import type { ReminderRow } from "../../../../shared/db/entities.ts";
import { fieldsOf, type Image, isSame } from "../../../../shared/domain/action/image-fields.ts";
import { resolveLocalTime, timestamp } from "../../../../shared/domain/day/day.ts";
import type { HandlerContext } from "../../handler.ts";
import { conflictAt, idOf, type TableUndo } from "./changed-row.ts";

/**
 * True if two states of a reminder have the same time. It may have rung meanwhile, or followed its user to another
 * zone.
 */
export function isAsMade(made: Image, row: ReminderRow): boolean {
  const { remind_at, wall_time } = fieldsOf("reminders", row);
  return wall_time === undefined
    ? made.wall_time == null && isSame(made.remind_at, remind_at)
    : isSame(made.wall_time, wall_time);
}

export const takeBackReminder: TableUndo = {
  restore(context, row) {
    const id = idOf(row);
    const todo = context.todos.get(id);
    if (!todo) return [conflictAt(row, "deleted_since")];
    if (context.reminders.get(id)) return [conflictAt(row, "made_again")];
    const old = row.before as Omit<ReminderRow, "todo_id">;
    context.reminders.insert({ ...old, ...asOfNow(context, id, old), todo_id: id });
    touchTodo(context, id);
    return [];
  },
  remove(context, row, rows) {
    const id = idOf(row);
    // A reminder goes with the todo that was made with it, or stays with that todo.
    if (rows.get(`todos/${id}`)?.before === undefined && rows.has(`todos/${id}`)) return [];
    const current = context.reminders.get(id);
    if (!current) return [conflictAt(row, "deleted_since")];
    if (!isAsMade(row.after ?? {}, current)) return [conflictAt(row, "changed_since", ["remind_at"])];
    context.reminders.remove(id);
    touchTodo(context, id);
    return [];
  },
  change(context, row) {
    const id = idOf(row);
    const { before = {}, after = {} } = row;
    const current = context.reminders.get(id);
    if (!current) return [conflictAt(row, "deleted_since")];
    const isMoved = "remind_at" in before || "wall_time" in before;
    const made: Image = { ...fieldsOf("reminders", current), ...after };
    if (isMoved && !isAsMade(made, current)) return [conflictAt(row, "changed_since", ["remind_at"])];
    // The status of any other reminder follows from its todo and the clock.
    if (!isMoved && current.status !== made.status)
      return before.status === "failed" ? [conflictAt(row, "changed_since", ["status"])] : [];
    const old: ReminderRow = { ...current, ...before };
    // A delivery belongs to the present time of the reminder, so another time has none.
    const back = { ...old, ...asOfNow(context, id, isMoved ? { ...old, delivery_id: null } : old) };
    const hasRung = ["sent", "unsent"].includes(current.status) && made.status !== current.status;
    const isOver = hasRung && Date.parse(timestamp(back.remind_at)) < context.acceptedAt;
    // A reminder that rang keeps its status, and gets its old time back: an older undo looks for that time.
    const { status, delivery_id } = isOver ? current : back;
    context.reminders.update(current, { ...back, status, delivery_id, updated_at: context.now });
    if (isMoved) touchTodo(context, id);
    return [];
  },
};

/** True if a reminder has rung, or will not ring any more. */
const isOver = ({ status }: Pick<ReminderRow, "status">): boolean =>
  status !== "scheduled" && status !== "suspended";

/**
 * The state of a restored reminder. It rings if its time is ahead in the user's present zone. With a completed todo
 * it waits. If its time has passed it was missed, or is ringing if it has a delivery.
 */
function asOfNow(
  { todos, today, acceptedAt }: HandlerContext,
  todoId: number,
  { remind_at, wall_time, status, delivery_id }: Omit<ReminderRow, "todo_id">,
): Partial<ReminderRow> {
  if (isOver({ status })) return {};
  const at =
    wall_time == null
      ? Date.parse(timestamp(remind_at))
      : resolveLocalTime(wall_time.replace(" ", "T"), today.timeZone);
  const time = { remind_at: new Date(at).toISOString() };
  const isWaiting = todos.get(todoId)?.is_completed === true;
  if (at < acceptedAt || delivery_id != null) return { ...time, status: isWaiting ? "suspended" : "missed" };
  return { ...time, status: isWaiting ? "suspended" : "scheduled", delivery_id: null };
}

/** Every change of a reminder also touches its todo. */
function touchTodo({ todos, now }: HandlerContext, id: number): void {
  const todo = todos.get(id);
  if (todo && todo.created_at !== now) todos.update(todo, { updated_at: now });
}
