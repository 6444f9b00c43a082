import { type Static, Type } from "typebox";
import { daysBetween } from "../../domain/day/day.ts";
import type { FieldErrors } from "../../errors.ts";
import { CalendarDate, checkPeriod, Flag, Id, SearchText, TimeOfDayField } from "../kernel/fields.ts";

export const TodayFilters = Type.Object({
  query: Type.Optional(SearchText),
  all: Type.Optional(Flag),
  time_of_day: Type.Optional(TimeOfDayField),
  from: Type.Optional(CalendarDate),
  to: Type.Optional(CalendarDate),
  cursor: Type.Optional(Id),
});

export type TodayInput = Static<typeof TodayFilters>;

/** A caller who names a habit or asks for past days wants it whether it is due today or not. */
export const listsAll = ({ all = false, query, from }: TodayInput): boolean =>
  all || query !== undefined || from !== undefined;

export const checkToday = ({ from, to }: TodayInput): FieldErrors | undefined =>
  to !== undefined && from === undefined
    ? { to: ["The to field is the end of a period, which needs from."] }
    : checkPeriodOfDays({ from, to });

/** A year, leap years included. */
export const mostCompletionDays = 366;

/** A habit and a period, which the reads of its days share. */
export const daysOfHabit = Type.Object({
  habit_id: Id,
  from: Type.Optional(CalendarDate),
  to: Type.Optional(CalendarDate),
});

type Period = Readonly<{ from?: string | undefined; to?: string | undefined }>;

export function checkPeriodOfDays({ from, to }: Period): FieldErrors | undefined {
  if (from === undefined || to === undefined || daysBetween(from, to) < mostCompletionDays)
    return checkPeriod("from", from, "to", to);
  return { to: [`The to field must be at most ${mostCompletionDays - 1} days after from.`] };
}
