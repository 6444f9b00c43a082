import { dateOfDay, dayNumber, isoWeekday, weekStart } from "./day.ts";
import {
  append,
  isCompletedOn,
  replay,
  type StreakEvents,
  settle,
  withoutCompletion,
} from "./recent-events.ts";
import { rhythmOf, sameDemand } from "./rhythm.ts";
import { noRun, type StreakRun } from "./run.ts";
import type { Rules } from "./schedule.ts";

/**
 * A habit's streak. Events of the few days that can still change are stored as they happened, so that an undo is a
 * replay without one of them; everything older is one settled run. So size and cost do not grow with a habit's age.
 */
export type StreakState = Readonly<{ settled: StreakRun; recent: StreakEvents }>;

/** A time-zone or day-start change moves today back by two days at most; the third day is for clocks that differ. */
const changeableDays = 3;

/** The streak of a new habit: nothing can be missed before the first completion. */
export const newStreak = (): StreakState => ({ settled: noRun, recent: [] });

/** Completes today, which can be before days already completed if a time-zone change moved today back. */
export function complete(state: StreakState, rules: Rules, today: string): StreakState | "already_completed" {
  const day = dayNumber(today);
  if (isCompletedOn(state.recent, day)) return "already_completed";
  const { settled, recent } = settleUntil(state, rules, day);
  return { settled, recent: append(recent, { day, kind: "completed" }) };
}

/** The streak as if today had never been completed, also after edits and time-zone changes. */
export function undo(state: StreakState, rules: Rules, today: string): StreakState | "not_completed" {
  const day = dayNumber(today);
  if (!isCompletedOn(state.recent, day)) return "not_completed";
  const { settled, recent } = settleUntil(state, rules, day);
  return { settled, recent: withoutCompletion(recent, day) };
}

/** Applies new rules from today on; rules that ask for the same are not an edit. */
export function editRules(state: StreakState, oldRules: Rules, newRules: Rules, today: string): StreakState {
  if (sameDemand(oldRules, newRules)) return state;
  const day = dayNumber(today);
  const { settled, recent } = settleUntil(state, oldRules, day);
  return { settled, recent: append(recent, { day, kind: "edited", until: oldRules }) };
}

/** Applies a time-zone or day-start change: the days from the old today up to the new one are never missed. */
export function moveDay(state: StreakState, rules: Rules, oldToday: string, newToday: string): StreakState {
  const today = dayNumber(newToday);
  let { settled, recent } = settleUntil(state, rules, today);
  for (let day = dayNumber(oldToday); day < today; day++) recent = append(recent, { day, kind: "skipped" });
  return { settled, recent };
}

function settleUntil({ settled, recent }: StreakState, rules: Rules, today: number): StreakState {
  const { run, rest } = settle(settled, recent, rules, today - changeableDays);
  return { settled: run, recent: rest };
}

/** The streak as columns that queries compare with today: the count is 0 once today is after `alive_through`. */
export type StreakView = {
  streak_count: number;
  longest_streak: number;
  /** null while there is no streak. */
  alive_through: string | null;
  /** The first day on which the habit is due again; null when it is due every day or on fixed weekdays. */
  next_due: string | null;
  /** Every completed day that can still be today, now or after a time-zone change. */
  recent_dates: string[];
};

export function view({ settled, recent }: StreakState, rules: Rules): StreakView {
  const run = replay(settled, recent, rules);
  const completions = recent.filter(({ kind }) => kind === "completed");
  return {
    streak_count: run.count,
    longest_streak: run.longest,
    alive_through: run.count === 0 ? null : dateOfDay(run.alive),
    next_due: nextDue(run, rules),
    recent_dates: completions.map(({ day }) => dateOfDay(day)),
  };
}

/**
 * Whether the habit belongs to the user's day: it was completed today, or its rules ask for today. `dueOn` of
 * api/queries/habit.ts is the same rule in SQL, and test/flow/due-habits.test.ts compares the two.
 */
export function isDueOn(state: StreakState, rules: Rules, today: string): boolean {
  const { next_due, recent_dates } = view(state, rules);
  if (recent_dates.includes(today)) return true;
  const rhythm = rhythmOf(rules);
  if ("weekdays" in rhythm) return rhythm.weekdays.includes(isoWeekday(dayNumber(today)));
  return next_due === null || next_due <= today;
}

/** `every_days` counts from the last completion. A week with enough completions makes the habit due again on Monday. */
function nextDue({ last, dates }: StreakRun, rules: Rules): string | null {
  const rhythm = rhythmOf(rules);
  if (last === null || "weekdays" in rhythm) return null;
  if ("every" in rhythm) return rhythm.every === 1 ? null : dateOfDay(last + rhythm.every);
  const monday = weekStart(last);
  const done = dates.filter((date) => date >= monday).length;
  return dateOfDay(done >= rhythm.times ? monday + 7 : monday);
}
