import { dayNumber } from "../day/day.ts";
import { type FreeDays, firstAsked, type Spans, spansOf, wholeWeeks } from "./free-days.ts";
import { nthDue, rhythmOf } from "./rhythm.ts";
import type { Rules } from "./schedule.ts";

/** The end of a streak that a pause without an end keeps alive. */
export const endless = "9999-12-31";

/** With a week schedule, a free day frees its week. */
export function freeSpans(habit: Rules & FreeDays): Spans {
  const spans = spansOf(habit);
  return "times" in rhythmOf(habit) ? wholeWeeks(spans) : spans;
}

/** The columns and fields on which a habit's due days depend. */
export type DueColumns = Rules &
  FreeDays &
  Readonly<{ recent_dates: readonly string[] }> &
  Readonly<{ next_due?: string | null | undefined }>;

/**
 * True if the habit belongs to the user's day: it was completed today, or its rules ask for today. `dueOn` of
 * api/queries/habit/read.ts is the same rule in SQL, and test/service/habit/due-habits.test.ts compares the two.
 */
export const isDueOn = (habit: DueColumns, today: string): boolean =>
  habit.recent_dates.includes(today) || nextAsked(habit, dayNumber(today)) === dayNumber(today);

/** The first day from a day on for which the rules ask; Infinity in a pause without an end. */
export function nextAsked(habit: DueColumns, from: number): number {
  const rhythm = rhythmOf(habit);
  const free = freeSpans(habit);
  let day = Math.max(from, habit.next_due == null ? from : dayNumber(habit.next_due));
  for (let before = Number.NaN; day !== before && day !== Number.POSITIVE_INFINITY; ) {
    before = day;
    day = firstAsked(free, "weekdays" in rhythm ? nthDue(rhythm, day, 1) : day);
  }
  return day;
}

/**
 * The misses that a living streak still forgives: due days in a row, or days after the end of a week with too few
 * completions. The streak lives as long as it forgives, so its last day tells them.
 */
export function graceLeft(
  habit: DueColumns & Readonly<{ streak_alive_through?: string | null | undefined }>,
  today: string,
): number {
  const { grace_days, streak_alive_through: end } = habit;
  if (end == null || end === endless) return grace_days;
  const [from, last] = [dayNumber(today), dayNumber(end)];
  if ("times" in rhythmOf(habit)) return Math.max(0, Math.min(last - from, grace_days));
  let left = -1;
  const isDone = habit.recent_dates.includes(today);
  for (let day = nextAsked(habit, isDone ? from + 1 : from); day <= last; day = nextAsked(habit, day + 1))
    left++;
  return Math.max(0, Math.min(left, grace_days));
}
