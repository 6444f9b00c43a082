import { dateOfDay, dayNumber, isoWeekday, weekStart } from "../day/day.ts";
import {
  append,
  completedDays,
  isCompletedOn,
  lastNumber,
  moveToday,
  numbered,
  passDays,
  replay,
  type StreakEvents,
  settle,
  withoutCompletion,
} from "./recent-events.ts";
import { rhythmOf, sameDemand } from "./rhythm.ts";
import { noRun, type StreakRun } from "./run.ts";
import type { Rules } from "./schedule.ts";

/**
 * A habit's streak. Events of days that can still change are stored one by one, so that a completion or undo of an
 * earlier day is a replay. Everything older is one settled run, so size and cost do not grow with age.
 */
export type StreakState = Readonly<{
  settled: StreakRun;
  recent: StreakEvents;
  /** The first day that can still change (a day number): events before it are settled. */
  since: number;
  /** The number of the latest event ever, even if it was undone. */
  last: number;
}>;

/** The number of days before today that can be completed or undone. */
export const daysBack = 7;

/** A time-zone or day-start change moves today back by two days at most; the third day is for clocks that differ. */
const daysOfMoves = 3;
export const changeableDays = daysBack + daysOfMoves;

/** The streak of a new habit: nothing can be missed before the first completion. */
export const newStreak = (): StreakState => ({ settled: noRun, recent: [], since: 0, last: 0 });

/**
 * Completes today or a day at most `daysBack` before it, as if on that day, under the rules at its end. The day must
 * not be before `firstChangeableDay`.
 */
export function complete(
  state: StreakState,
  rules: Rules,
  date: string,
  today = date,
): StreakState | "already_completed" {
  const day = dayNumber(date);
  if (isCompletedOn(state.recent, day)) return "already_completed";
  const open = settleUntil(state, rules, dayNumber(today));
  const n = open.last + 1;
  return { ...open, recent: append(open.recent, { day, kind: "completed", n }), last: n };
}

/** The streak as if that day had never been completed, also after edits and time-zone changes. */
export function undo(
  state: StreakState,
  rules: Rules,
  date: string,
  today = date,
): StreakState | "not_completed" {
  const day = dayNumber(date);
  if (!isCompletedOn(state.recent, day)) return "not_completed";
  const stored = withNewFields(state);
  const recent = withoutCompletion(stored.recent, day);
  return settleUntil({ ...stored, recent }, rules, dayNumber(today));
}

/** Applies new rules from today on; rules that ask for the same are not an edit. */
export function editRules(state: StreakState, oldRules: Rules, newRules: Rules, today: string): StreakState {
  if (sameDemand(oldRules, newRules)) return state;
  const day = dayNumber(today);
  return withEdit(settleUntil(state, oldRules, day), oldRules, day);
}

/** @param open the state on that day */
export function withEdit(open: StreakState, oldRules: Rules, day: number): StreakState {
  const n = open.last + 1;
  const recent = append(open.recent, { day, kind: "edited", until: oldRules, n });
  return { ...open, recent, last: recent === open.recent ? open.last : n };
}

/**
 * Applies a time-zone or day-start change: the days from the old today up to the new one are never missed, unless one
 * of them becomes today again and passes like any other day.
 */
export function moveDay(state: StreakState, rules: Rules, oldToday: string, newToday: string): StreakState {
  const today = dayNumber(oldToday);
  const open = settleUntil(state, rules, today);
  return { ...open, recent: moveToday(open.recent, today, dayNumber(newToday)) };
}

/** The first day that can still be completed or undone: more recent than `daysBack` only in states of old releases. */
export function firstChangeableDay(state: StreakState): string {
  const { settled, since } = withNewFields(state);
  return dateOfDay(Math.max(since, settled.last === null ? 0 : settled.last + 1));
}

/** Adds fields that older releases do not store; they may still run beside this one. */
export function withNewFields(stored: StreakState): StreakState {
  const recent = numbered(stored.recent);
  const last = Math.max(stored.last ?? 0, lastNumber(recent));
  const settled = { ...noRun, ...stored.settled };
  return { settled, recent, since: stored.since ?? 0, last };
}

/** Lets the days until today pass, and settles those that are too old to change. */
function settleUntil(state: StreakState, rules: Rules, today: number): StreakState {
  const { since } = withNewFields(state);
  return settleSince({ ...state, since: Math.max(since, today - changeableDays) }, rules, today);
}

/** Lets the days until today pass, and settles those before `since`. */
export function settleSince(state: StreakState, rules: Rules, today: number): StreakState {
  const { settled, recent, since, last } = withNewFields(state);
  const { run, rest } = settle(settled, passDays(recent, today), rules, since);
  return { settled: run, recent: rest, since, last };
}

/** The streak as columns that queries compare with today: the count is 0 once today is after `alive_through`. */
type StreakView = {
  streak_count: number;
  longest_streak: number;
  /** null while there is no streak. */
  alive_through: string | null;
  /** The first day on which the habit is due again; null when it is due every day or on fixed weekdays. */
  next_due: string | null;
  /** Every completed day that can still be today, now or after a time-zone change. */
  recent_dates: string[];
};

export function view(state: StreakState, rules: Rules): StreakView {
  const { settled, recent } = withNewFields(state);
  const run = replay(settled, recent, rules);
  const days = completedDays(recent);
  const canBeToday = days.filter((day) => day >= (run.last ?? 0) - daysOfMoves).sort((a, b) => a - b);
  return {
    streak_count: run.count,
    longest_streak: run.longest,
    alive_through: run.count === 0 ? null : dateOfDay(run.alive),
    next_due: nextDue(run, rules),
    recent_dates: canBeToday.map(dateOfDay),
  };
}

/**
 * True if the habit belongs to the user's day: it was completed today, or its rules ask for today. `dueOn` of
 * api/queries/habit/read.ts is the same rule in SQL, and test/service/habit/due-habits.test.ts compares the two.
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
