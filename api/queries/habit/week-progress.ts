import { addDays, dayNumber, isoWeekday } from "../../../shared/domain/day/day.ts";
import { rhythmOf } from "../../../shared/domain/habit/rhythm.ts";
import type { Rules } from "../../../shared/domain/habit/schedule.ts";

/** The Monday and the Sunday of a day's week. */
export function weekOf(date: string): Readonly<{ monday: string; sunday: string }> {
  const monday = addDays(date, 1 - isoWeekday(dayNumber(date)));
  return { monday, sunday: addDays(monday, 6) };
}

/**
 * On how many days of a week a habit's rules ask for it. More can be done, because every day counts on which it is done.
 * @returns undefined for a habit that is due some days after its last completion, as no week asks for a number of them
 */
export function daysAskedFor(rules: Rules): number | undefined {
  const rhythm = rhythmOf(rules);
  if ("times" in rhythm) return rhythm.times;
  if ("weekdays" in rhythm) return rhythm.weekdays.length;
  return rhythm.every === 1 ? 7 : undefined;
}
