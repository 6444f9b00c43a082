import { addDays, dayNumber, isoWeekday } from "./day.ts";
import { rhythmOf } from "./rhythm.ts";
import type { Rules } from "./schedule.ts";

/** The days of a week on which a habit was done, and on how many its rules ask for it. */
type WeekProgress = Readonly<{ done: number; target: number }>;

/** The Monday and the Sunday of a day's week. */
export function weekOf(date: string): Readonly<{ monday: string; sunday: string }> {
  const monday = addDays(date, 1 - isoWeekday(dayNumber(date)));
  return { monday, sunday: addDays(monday, 6) };
}

/**
 * How far a habit has come in the week of a day. Days that were not asked for count, so more can be done than asked for.
 * @returns undefined for a habit that is due some days after its last completion, as no week asks for a number of them
 */
export function progressOfWeek(
  rules: Rules,
  completedDates: readonly string[],
  today: string,
): WeekProgress | undefined {
  const target = daysAskedFor(rules);
  if (target === undefined) return undefined;
  const { monday, sunday } = weekOf(today);
  const days = new Set(completedDates.filter((date) => date >= monday && date <= sunday));
  return { done: days.size, target };
}

function daysAskedFor(rules: Rules): number | undefined {
  const rhythm = rhythmOf(rules);
  if ("times" in rhythm) return rhythm.times;
  if ("weekdays" in rhythm) return rhythm.weekdays.length;
  return rhythm.every === 1 ? 7 : undefined;
}
