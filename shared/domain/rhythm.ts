import { isoWeekday } from "./day.ts";
import type { Rules } from "./schedule.ts";

/** What rules come down to: days counted from the last completion, fixed weekdays, or a number of days in each week. */
export type Rhythm = { every: number } | { weekdays: number[] } | { times: number };

/** `custom` without a schedule is daily; weekly is once in each week. */
export function rhythmOf({ frequency, schedule }: Rules): Rhythm {
  if (frequency === "weekly") return { times: 1 };
  if (frequency === "daily" || schedule === null) return { every: 1 };
  if ("every_days" in schedule) return { every: schedule.every_days };
  if ("weekdays" in schedule) return { weekdays: schedule.weekdays.toSorted() };
  return { times: schedule.times_per_week };
}

/** Whether both demand and forgive the same, however they say it. */
export function sameDemand(a: Rules, b: Rules): boolean {
  return a.grace_days === b.grace_days && JSON.stringify(rhythmOf(a)) === JSON.stringify(rhythmOf(b));
}

/** The nth due day (1 is the first) on or after a day number; without weekdays every day is due. */
export function nthDueDay(weekdays: number[] | null, from: number, nth: number): number {
  if (weekdays === null) return from + nth - 1;
  let day = from + 7 * Math.floor((nth - 1) / weekdays.length);
  let toPass = (nth - 1) % weekdays.length;
  while (!weekdays.includes(isoWeekday(day)) || toPass-- > 0) day++;
  return day;
}
