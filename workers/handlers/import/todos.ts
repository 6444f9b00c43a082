import type { ImportedThings } from "../../../shared/contracts/import/contracts.ts";
import { todoFields } from "../../../shared/contracts/todo/fields.ts";
import type { ReminderRow, TodoRow } from "../../../shared/db/entities.ts";
import type { Unsigned } from "../../../shared/domain/author.ts";
import { resolveLocalTime } from "../../../shared/domain/day/day.ts";
import { newColumns } from "../columns.ts";
import type { HandlerContext } from "../handler.ts";
import { endOfTimes, holdZone, wallTimeOfReminder } from "../todo/reminder.ts";
import { idOfThing, type KnownThings, notInFuture, timesOf } from "./things.ts";

type ImportedTodo = ImportedThings["todos"];

/** Makes todos with their reminders. */
export function insertTodos(
  context: HandlerContext,
  things: readonly ImportedTodo[],
  known: KnownThings,
): void {
  // A wall time follows the person's zone, which must not change before the commit.
  if (things.some(({ reminder }) => reminder)) holdZone(context);
  for (const thing of things) {
    const id = idOfThing(known, thing);
    context.todos.insert({ id, ...todoColumns(context, thing, known) });
    if (thing.reminder) insertReminder(context, id, thing, thing.reminder);
  }
}

function todoColumns(
  context: HandlerContext,
  thing: ImportedTodo,
  known: KnownThings,
): Omit<Unsigned<TodoRow>, "id"> {
  const { today } = context;
  const { category, next, is_completed, completed_at, completed_on } = thing;
  const done = {
    completed_at: notInFuture(context, completed_at),
    completed_on: completed_on === null || completed_on > today.date ? today.date : completed_on,
  };
  return {
    ...newColumns(todoFields, thing),
    ...(is_completed ? done : { completed_at: null, completed_on: null }),
    category_id: known.ids.get(category ?? "") ?? null,
    former_category_id: null,
    next_todo_id: known.ids.get(next ?? "") ?? null,
    ...timesOf(context, thing),
  };
}

/**
 * A reminder due before the import did not ring here, and a completed todo needs none. A recurring todo has a wall
 * time.
 */
function insertReminder(
  { reminders, acceptedAt, today, now }: HandlerContext,
  todo_id: number,
  { is_completed, recurrence }: ImportedTodo,
  { remind_at, wall_time, status }: NonNullable<ImportedTodo["reminder"]>,
): void {
  const instant = wall_time === null ? Date.parse(remind_at) : resolveLocalTime(wall_time, today.timeZone);
  const follows = wall_time !== null || recurrence != null;
  const stored: Pick<ReminderRow, "remind_at" | "wall_time"> = {
    remind_at: wall_time === null ? remind_at : new Date(instant).toISOString(),
    wall_time: follows ? wallTimeOfReminder({ remind_at, wall_time }, today.timeZone) : null,
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
