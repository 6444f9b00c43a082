import type { HabitRow } from "../../../shared/db/entities.ts";
import { addDays } from "../../../shared/domain/day/day.ts";
import { daysAhead, daysBack } from "../../../shared/domain/habit/history.ts";
import { invalid, notFound, type Refused } from "../../../shared/errors.ts";
import { type RowRequest, withoutLock } from "../../unit-of-work/row-request.ts";
import type { HandlerContext } from "../handler.ts";

type OneDay = Readonly<{ habit_id: number; date?: string | undefined }>;

const refuseDate = (demand: string): Refused => invalid({ date: [`The date field must be ${demand}.`] });

/** Refuses a day in the future, or too far back. */
function checkDate({ today }: HandlerContext, date: string | undefined): Refused | undefined {
  if (date === undefined) return undefined;
  if (addDays(today.date, -daysBack) <= date && date <= today.date) return undefined;
  return refuseDate(`today (${today.date}) or up to ${daysBack} days before it`);
}

/** Refuses a day that is too far ahead to skip, or too far back. */
export function checkSkipDate({ today }: HandlerContext, date: string | undefined): Refused | undefined {
  if (date === undefined) return undefined;
  const [first, last] = [addDays(today.date, -daysBack), addDays(today.date, daysAhead)];
  return first <= date && date <= last ? undefined : refuseDate(`from ${first} through ${last}`);
}

/**
 * Completions that may be of that day. Without a day in the input, only the user's settings tell which day is
 * today.
 */
export function completionRows({ habit_id, date }: OneDay, acceptedAt: number): RowRequest[] {
  const utcDate = new Date(acceptedAt).toISOString().slice(0, 10);
  const dates = date === undefined ? [-2, -1, 0, 1].map((days) => addDays(utcDate, days)) : [date];
  return dates.flatMap((day) => withoutLock("habit_completions", [habit_id, day]));
}

/** The habit and the day of a request, which is today by default; or the reason why that day cannot change. */
export function habitOnDay(
  context: HandlerContext,
  { habit_id, date }: OneDay,
  check = checkDate,
): Readonly<{ row: HabitRow; date: string }> | Refused {
  const outOfReach = check(context, date);
  if (outOfReach) return outOfReach;
  const row = context.habits.get(habit_id);
  if (!row) return notFound("Habit");
  return { row, date: date ?? context.today.date };
}

/** The day in a sentence. */
export const whichDay = ({ today }: HandlerContext, date: string): string =>
  date === today.date ? "today" : `on ${date}`;
