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
import { noRun, type Run } from "./run.ts";
import type { Rules } from "./schedule.ts";

/**
 * A habit's streak. What happened on the few days that can still change is kept apart, so that an undo is a
 * replay without it; everything older is one settled run. Size and cost are those of a few days, at any age.
 */
export type StreakState = Readonly<{ settled: Run; recent: StreakEvents }>;

/** Zones and day starts put today back by two days at most; one more for clocks that differ. */
const changeableDays = 3;

/** Of a new habit: nothing is missed before the first completion. */
export const newStreak = (): StreakState => ({ settled: noRun, recent: [] });

/** Completes today, which lies before days already completed when the clock went back since. */
export function complete(state: StreakState, rules: Rules, today: string): StreakState | "already_completed" {
  const day = dayNumber(today);
  if (isCompletedOn(state.recent, day)) return "already_completed";
  const { settled, recent } = settleUntil(state, rules, day);
  return { settled, recent: append(recent, { day, kind: "completed" }) };
}

/** The streak as if today had never been completed, whatever edits and journeys lie between. */
export function undo(state: StreakState, rules: Rules, today: string): StreakState | "not_completed" {
  const day = dayNumber(today);
  if (!isCompletedOn(state.recent, day)) return "not_completed";
  const { settled, recent } = settleUntil(state, rules, day);
  return { settled, recent: withoutCompletion(recent, day) };
}

/** New rules from today on; rules that demand the same are no edit. */
export function editRules(state: StreakState, oldRules: Rules, newRules: Rules, today: string): StreakState {
  if (sameDemand(oldRules, newRules)) return state;
  const day = dayNumber(today);
  const { settled, recent } = settleUntil(state, oldRules, day);
  return { settled, recent: append(recent, { day, kind: "edited", until: oldRules }) };
}

/** A change of zone or day start: the days from the old today up to the new one are never missed. */
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

/** The streak as columns that a read compares with today: the count is 0 once today is after `alive_through`. */
export type StreakView = {
  streak_count: number;
  longest_streak: number;
  /** null while there is no streak. */
  alive_through: string | null;
  /** The first day from which the habit asks again, on its weekdays if it has some; null when it never waits. */
  next_due: string | null;
  /** Every completed day that today could be, now or after a change of zone. */
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

/** Whether today is completed or the habit asks for it. */
export function isDueOn(state: StreakState, rules: Rules, today: string): boolean {
  const { next_due, recent_dates } = view(state, rules);
  if (recent_dates.includes(today)) return true;
  const rhythm = rhythmOf(rules);
  if ("weekdays" in rhythm) return rhythm.weekdays.includes(isoWeekday(dayNumber(today)));
  return next_due === null || next_due <= today;
}

/** `every_days` rolls from the last completion; a week that has its number leaves the habit alone until Monday. */
function nextDue({ last, dates }: Run, rules: Rules): string | null {
  const rhythm = rhythmOf(rules);
  if (last === null || "weekdays" in rhythm) return null;
  if ("every" in rhythm) return rhythm.every === 1 ? null : dateOfDay(last + rhythm.every);
  const monday = weekStart(last);
  const done = dates.filter((date) => date >= monday).length;
  return dateOfDay(done >= rhythm.times ? monday + 7 : monday);
}
