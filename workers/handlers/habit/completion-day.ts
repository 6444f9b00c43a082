import type { HabitRow } from "../../../shared/db/entities.ts";
import { addDays } from "../../../shared/domain/day/day.ts";
import { daysBack, firstChangeableDay } from "../../../shared/domain/habit/streak.ts";
import { invalid, type Refused } from "../../../shared/errors.ts";
import { type RowRequest, withoutLock } from "../../unit-of-work/row-request.ts";
import type { HandlerContext } from "../handler.ts";

const refuseDate = (demand: string): Refused => invalid({ date: [`The date field must be ${demand}.`] });

/**
 * Refuses a day that lies in the future, or further back than any habit's completion can be changed. So no day is further
 * before the habit's creation either, which was not later than today.
 */
export function checkDate({ today }: HandlerContext, date: string | undefined): Refused | undefined {
  if (date === undefined) return undefined;
  if (addDays(today.date, -daysBack) <= date && date <= today.date) return undefined;
  return refuseDate(`today (${today.date}) or up to ${daysBack} days before it`);
}

/** The completions that may be of that day: where none is given, only the user's settings will say which day is today. */
export function completionRows(
  { habit_id, date }: Readonly<{ habit_id: number; date?: string | undefined }>,
  acceptedAt: number,
): RowRequest[] {
  const utcDate = new Date(acceptedAt).toISOString().slice(0, 10);
  const dates = date === undefined ? [-2, -1, 0, 1].map((days) => addDays(utcDate, days)) : [date];
  return dates.flatMap((day) => withoutLock("habit_completions", [habit_id, day]));
}

/** Refuses a day that is settled in the stored streak, as an earlier release left it. */
export function checkSettled({ streak_state }: HabitRow, date: string | undefined): Refused | undefined {
  const first = firstChangeableDay(streak_state);
  return date !== undefined && date < first ? refuseDate(`${first} or later for this habit`) : undefined;
}

/** The day in a sentence. */
export const whichDay = ({ today }: HandlerContext, date: string): string =>
  date === today.date ? "today" : `on ${date}`;
