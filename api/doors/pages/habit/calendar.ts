import { addDays, daysBetween } from "../../../../shared/domain/day/day.ts";
import { firstOfWeek } from "../../../queries/habit/week.ts";
import { firstWeekday } from "../../../web/locale.ts";

/** A year and the rest of its first week. */
export const calendarWeeks = 53;

/** A day in the grid: a column for each week, a row for each weekday with the first one of the week on top. */
export type CalendarDay = Readonly<{ date: string; column: number; row: number }>;

/** The first day of the calendar of a year up to today. */
export const firstCalendarDay = (today: string): string =>
  addDays(firstOfWeek(today, firstWeekday()), -7 * (calendarWeeks - 1));

/** The days of the calendar of a year; the last one is today. */
export function calendarDays(today: string): readonly CalendarDay[] {
  const first = firstCalendarDay(today);
  return Array.from({ length: daysBetween(first, today) + 1 }, (_, index) => ({
    date: addDays(first, index),
    column: Math.floor(index / 7),
    row: index % 7,
  }));
}

/** The first days of the calendar's months, each with its column. */
export const monthStarts = (days: readonly CalendarDay[]): readonly CalendarDay[] =>
  days.filter(({ date }) => date.endsWith("-01"));

/** The number of completions in each month of the calendar, in order. */
export function monthlyCounts(
  days: readonly CalendarDay[],
  done: ReadonlyMap<string, number>,
): readonly Readonly<{ month: string; done: number }>[] {
  const months = Map.groupBy(days, ({ date }) => date.slice(0, 7));
  return [...months].map(([month, own]) => ({
    month,
    done: own.reduce((sum, { date }) => sum + (done.get(date) ?? 0), 0),
  }));
}

const levels = 4;

/** The shade of a day: 0 for none, else 1 to 4 relative to the busiest day. */
export const levelOf = (done: number, most: number): number =>
  done <= 0 ? 0 : Math.min(levels, Math.ceil((levels * done) / Math.max(1, most)));
