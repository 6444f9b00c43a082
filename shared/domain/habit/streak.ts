import { dateOfDay, dayNumber, weekStart } from "../day/day.ts";
import { type FreeDays, firstAsked, multirangeOf, type Spans, spansOf, wholeWeeks } from "./free-days.ts";
import { doneDays, type HabitHistory } from "./history.ts";
import { nthDue, type Rhythm, rhythmOf } from "./rhythm.ts";
import type { Rules } from "./schedule.ts";
import { aliveThrough, lived } from "./story.ts";

/** The streak and its dates as columns that queries compare with today: it is 0 once today is after `streak_alive_through`. */
export type StreakColumns = Readonly<{
  streak: number;
  longest_streak: number;
  /** Null while there is no streak. */
  streak_alive_through: string | null;
  completions_count: number;
  /** The first day on which the habit is due again; null when it is due every day or on fixed weekdays. */
  next_due: string | null;
  /** Every completed day that can still be today, now or after a time-zone change. */
  recent_dates: string[];
  /** The free days, as text of PostgreSQL's type datemultirange; with a week schedule, whole weeks. */
  free_dates: string;
}>;

/** The end of a streak that a pause without an end keeps alive. */
export const endless = "9999-12-31";

/** A time-zone or day-start change moves today back by two days at most; the third day is for clocks that differ. */
const daysOfMoves = 3;

/** All columns that follow from a habit's history, computed from its beginning. */
export function streakColumns(history: HabitHistory, today: string): StreakColumns {
  const done = doneDays(history);
  const story = lived(history, done, today);
  const end = story.count === 0 ? null : aliveThrough(story);
  const last = done.at(-1) ?? 0;
  return {
    streak: story.count,
    longest_streak: story.longest,
    streak_alive_through: end === null ? null : dateOfDay(Math.min(end, dayNumber(endless))),
    completions_count: done.length,
    next_due: nextDue(rhythmOf(history), done),
    recent_dates: done
      .slice(-1 - daysOfMoves)
      .filter((day) => day >= last - daysOfMoves)
      .map(dateOfDay),
    free_dates: multirangeOf(freeSpans(history)),
  };
}

/** `every_days` counts from the last completion. A week with enough completions makes the habit due again on Monday. */
function nextDue(rhythm: Rhythm, done: readonly number[]): string | null {
  const last = done.at(-1);
  if (last === undefined || "weekdays" in rhythm) return null;
  if ("every" in rhythm) return rhythm.every === 1 ? null : dateOfDay(last + rhythm.every);
  const monday = weekStart(last);
  return dateOfDay((done.at(-rhythm.times) ?? 0) >= monday ? monday + 7 : monday);
}

/** With a week schedule, a free day frees its week. */
function freeSpans(habit: Rules & FreeDays): Spans {
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
