import { addDays, dayNumber, isoWeekday } from "../../../shared/domain/day/day.ts";
import type { Rules } from "../../../shared/domain/habit/rhythm.ts";
import { rhythmOf } from "../../../shared/domain/habit/rhythm.ts";

/** The Monday and the Sunday of a day's week. */
export function weekOf(date: string): Readonly<{ monday: string; sunday: string }> {
  const monday = addDays(date, 1 - isoWeekday(dayNumber(date)));
  return { monday, sunday: addDays(monday, 6) };
}

/** The first day of a date's week as somebody sees weeks. @param firstWeekday 1 is Monday */
export const firstOfWeek = (date: string, firstWeekday: number): string =>
  addDays(date, -((isoWeekday(dayNumber(date)) - firstWeekday + 7) % 7));

/**
 * The number of days on which a habit's rules ask for it in a week. The habit can be done on more days.
 * @returns undefined for `every_days`, because no week asks for a number of days
 */
export function daysAskedFor(rules: Rules): number | undefined {
  const rhythm = rhythmOf(rules);
  if ("times" in rhythm) return rhythm.times;
  if ("weekdays" in rhythm) return rhythm.weekdays.length;
  return rhythm.every === 1 ? 7 : undefined;
}
