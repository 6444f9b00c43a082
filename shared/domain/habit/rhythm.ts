import { isoWeekday } from "../day/day.ts";
import type { Frequency } from "../vocabulary.ts";
import type { Spans } from "./free-days.ts";

/** The custom rhythms: every n days from the last completion, fixed weekdays (1 is Monday), or a number of days a week. */
export type Schedule = { every_days: number } | { weekdays: number[] } | { times_per_week: number };

/** A habit's rhythm, and how many misses in a row its streak survives. */
export type Rules = Readonly<{
  frequency: Frequency;
  /** Rows and images can lack it. */
  schedule?: Schedule | null | undefined;
  grace_days: number;
}>;

/** The due days: from `every` days after the last completion, or the given weekdays (1 is Monday). */
type DayRhythm = { every: number } | { weekdays: number[] };

/** The rhythm that rules ask for; `times` is a number of completions in each Monday–Sunday week. */
export type Rhythm = DayRhythm | { times: number };

/** `custom` without a schedule means daily, and `weekly` means once in each week. */
export function rhythmOf({ frequency, schedule }: Rules): Rhythm {
  if (frequency === "weekly") return { times: 1 };
  if (frequency === "daily" || schedule == null) return { every: 1 };
  if ("every_days" in schedule) return { every: schedule.every_days };
  if ("weekdays" in schedule) return { weekdays: schedule.weekdays.toSorted() };
  return { times: schedule.times_per_week };
}

/** True if both require and forgive the same, even if they are written differently. */
export function sameDemand(a: Rules, b: Rules): boolean {
  return a.grace_days === b.grace_days && JSON.stringify(rhythmOf(a)) === JSON.stringify(rhythmOf(b));
}

/** The nth day (1 is the first) of a set of weekdays on or after a day number. */
function nthWeekday(weekdays: number[], from: number, nth: number): number {
  let day = from + 7 * Math.floor((nth - 1) / weekdays.length);
  let toPass = (nth - 1) % weekdays.length;
  for (let weekday = isoWeekday(day); !weekdays.includes(weekday) || toPass-- > 0; day++)
    weekday = (weekday % 7) + 1;
  return day;
}

/** The nth due day from a day on, outside all spans. */
export function nthAsked(rhythm: DayRhythm, from: number, nth: number, spans: Spans): number {
  let day = from === Number.POSITIVE_INFINITY ? from : nthDue(rhythm, from, nth);
  for (const [begin, end] of spans) {
    if (end < from) continue;
    if (begin > day) break;
    const lost = numberDue(rhythm, Math.max(begin, from), day);
    if (lost > 0) day = end === Number.POSITIVE_INFINITY ? end : nthDue(rhythm, end + 1, lost);
  }
  return day;
}

function numberDue(rhythm: DayRhythm, from: number, through: number): number {
  if (!("weekdays" in rhythm) || through === Number.POSITIVE_INFINITY) return through - from + 1;
  let number = 0;
  for (let day = from; day <= through; day++) if (rhythm.weekdays.includes(isoWeekday(day))) number++;
  return number;
}

/** The nth day of a rhythm that has begun. */
export const nthDue = (rhythm: DayRhythm, from: number, nth: number): number =>
  "weekdays" in rhythm ? nthWeekday(rhythm.weekdays, from, nth) : from + nth - 1;
