import type { ImportedThings } from "../../../shared/contracts/import/things.ts";
import { todoFields } from "../../../shared/contracts/todo/fields.ts";
import type { ReminderRow, TodoRow } from "../../../shared/db/entities.ts";
import { resolveLocalTime, wallTimeOf } from "../../../shared/domain/day/day.ts";
import { newColumns } from "../columns.ts";
import type { HandlerContext } from "../handler.ts";
import { endOfTimes } from "../todo/reminder.ts";
import { newUser } from "../user/settings.ts";
import type { KnownIds } from "./parts.ts";
import { notInFuture, timesOf } from "./times.ts";

type ImportedTodo = ImportedThings["todos"];

/** Makes todos with their reminders. All ids come first, because a todo names the one that followed it. */
export function insertTodos(context: HandlerContext, things: readonly ImportedTodo[], known: KnownIds): void {
  const { todos, users, nextId } = context;
  const ids = things.map(({ key }) => {
    const id = nextId("todos");
    known.set(key, id);
    return id;
  });
  // A reminder without a zone follows that of the person, whose row is what a change of the zone looks at.
  if (things.some(({ reminder }) => reminder?.wall_time != null) && !users.get())
    users.insert(newUser(context));
  for (const [index, thing] of things.entries()) {
    const id = ids[index] ?? 0;
    todos.insert({ id, ...todoColumns(context, thing, known) });
    if (thing.reminder) insertReminder(context, id, thing, thing.reminder);
  }
}

function todoColumns(
  context: HandlerContext,
  thing: ImportedTodo,
  known: KnownIds,
): Omit<TodoRow, "id" | "user_id"> {
  const { today } = context;
  const { category, next, is_completed, completed_at, completed_on } = thing;
  const done = {
    completed_at: notInFuture(context, completed_at),
    completed_on: completed_on === null || completed_on > today.date ? today.date : completed_on,
  };
  return {
    ...newColumns(todoFields, thing),
    ...(is_completed ? done : { completed_at: null, completed_on: null }),
    category_id: known.get(category ?? "") ?? null,
    former_category_id: null,
    next_todo_id: known.get(next ?? "") ?? null,
    ...timesOf(context, thing),
  };
}

/** A reminder due before the import did not ring here, and a completed todo needs none. */
function insertReminder(
  { reminders, acceptedAt, today, now }: HandlerContext,
  todo_id: number,
  { is_completed }: ImportedTodo,
  { remind_at, wall_time, status }: NonNullable<ImportedTodo["reminder"]>,
): void {
  const instant = wall_time === null ? Date.parse(remind_at) : resolveLocalTime(wall_time, today.timeZone);
  const stored: Pick<ReminderRow, "remind_at" | "wall_time"> = {
    remind_at: wall_time === null ? remind_at : new Date(instant).toISOString(),
    wall_time: wall_time === null ? null : wallTimeOf(wall_time),
  };
  if (instant < 0 || instant >= endOfTimes) return;
  const present = status === "scheduled" && is_completed ? "suspended" : status;
  const isMissed = present === "scheduled" && instant < acceptedAt;
  reminders.insert({
    todo_id,
    ...stored,
    status: isMissed ? "missed" : present,
    delivery_id: null,
    created_at: now,
    updated_at: now,
  });
}
