import { dateOfDay, dayNumber, weekStart } from "../day/day.ts";
import { endless, freeSpans } from "./due.ts";
import { multirangeOf } from "./free-days.ts";
import { doneDays, type HabitHistory } from "./history.ts";
import { type Rhythm, rhythmOf } from "./rhythm.ts";
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
