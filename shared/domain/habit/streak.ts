import { dateOfDay, dayNumber, isoWeekday } from "../day/day.ts";
import {
  type FreeDays,
  isFree,
  multirangeOf,
  noFreeDays,
  type Spans,
  settledFreeDays,
  spansOf,
  wholeWeeks,
} from "./free-days.ts";
import { nextDue } from "./next-due.ts";
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
import type { Rules } from "./schedule.ts";
import { aliveThrough, type Demand, noTally, type StreakTally } from "./tally.ts";

/**
 * A habit's streak. Events of days that can still change are stored one by one, so that changing an earlier day is
 * a replay. Everything older is one settled tally, so size and cost do not grow with age.
 */
export type StreakState = Readonly<{
  settled: StreakTally;
  recent: StreakEvents;
  /** The first day that can still change (a day number): events before it are settled. */
  since: number;
  /** The number of the latest event, even if that was undone. */
  last: number;
  /** Absent if no pause or skip can matter. */
  free?: FreeDays | undefined;
}>;

/** A state in which every field has a value. */
export type FullStreakState = StreakState & Readonly<{ free: FreeDays }>;

/** The number of days before today that can be completed or undone. */
export const daysBack = 7;

/** A time-zone or day-start change moves today back by two days at most; the third day is for clocks that differ. */
const daysOfMoves = 3;
export const changeableDays = daysBack + daysOfMoves;

/** The streak of a new habit: nothing can be missed before the first completion. */
export const newStreak = (): StreakState => ({ settled: noTally, recent: [], since: 0, last: 0 });

/**
 * Completes today or a day at most `daysBack` before it, as if on that day, under the rules at its end. The day must
 * not be before `firstChangeableDay`.
 */
export function complete(
  state: StreakState,
  rules: Rules,
  date: string,
  today = date,
): StreakState | "already_completed" | "skipped" {
  const day = dayNumber(date);
  if (state.free?.skips.includes(day)) return "skipped";
  if (isCompletedOn(state.recent, day)) return "already_completed";
  const open = settleUntil(state, rules, dayNumber(today));
  const n = open.last + 1;
  return { ...open, recent: append(open.recent, { day, kind: "completed", n }), last: n };
}

/** The streak as if that day had never been completed, after later edits and changes of zone, too. */
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

/** Applies new rules from today on; equal rules are not an edit. */
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
export function withNewFields(stored: StreakState): FullStreakState {
  const recent = numbered(stored.recent);
  const last = Math.max(stored.last ?? 0, lastNumber(recent));
  const settled = { ...noTally, ...stored.settled };
  return { settled, recent, since: stored.since ?? 0, last, free: stored.free ?? noFreeDays };
}

/** Lets the days until today pass, and settles those that are too old to change. */
export function settleUntil(state: StreakState, rules: Rules, today: number): StreakState {
  const { since } = withNewFields(state);
  return settleSince({ ...state, since: Math.max(since, today - changeableDays) }, rules, today);
}

/** Lets the days until today pass, and settles those before `since`. */
export function settleSince(state: StreakState, rules: Rules, today: number): StreakState {
  const { settled, recent, since, last, free } = withNewFields(state);
  const { tally, rest } = settle(settled, passDays(recent, today), { rules, free: spansOf(free) }, since);
  const open = Math.min(since, ...rest.map(({ day }) => day));
  const needed = tally.count === 0 ? open : Math.min(open, tally.from, tally.edited ?? open);
  return withFreeDays({ settled: tally, recent: rest, since, last }, settledFreeDays(free, needed, since));
}

export function withFreeDays(state: StreakState, free: FreeDays): StreakState {
  const { free: _, ...others } = state;
  return free.pauses.length + free.skips.length === 0 ? others : { ...others, free };
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
  /** The free days, as text of PostgreSQL's type datemultirange. */
  free_dates: string;
  skipped_dates: string[];
};

/** The end of a streak that a pause without an end keeps alive. */
export const endless = "9999-12-31";

/** The streak after all events. */
export function tallyOf(state: StreakState, rules: Rules) {
  const { settled, recent, free } = withNewFields(state);
  const demand = { rules, free: spansOf(free) };
  const tally = replay(settled, recent, demand);
  return { tally, demand, end: tally.count === 0 ? null : aliveThrough(tally, demand) };
}

export function view(state: StreakState, rules: Rules): StreakView {
  const { recent } = withNewFields(state);
  const { tally, demand, end } = tallyOf(state, rules);
  const days = completedDays(recent);
  const canBeToday = days.filter((day) => day >= (tally.last ?? 0) - daysOfMoves).sort((a, b) => a - b);
  return {
    streak_count: tally.count,
    longest_streak: tally.longest,
    alive_through: end === null ? null : dateOfDay(Math.min(end, dayNumber(endless))),
    next_due: nextDue(tally, rules),
    recent_dates: canBeToday.map(dateOfDay),
    free_dates: multirangeOf(freeSpans(demand)),
    skipped_dates: (state.free?.skips ?? []).map(dateOfDay),
  };
}

/** With a week schedule, a free day frees its week. */
const freeSpans = ({ rules, free }: Demand): Spans => ("times" in rhythmOf(rules) ? wholeWeeks(free) : free);

/**
 * True if the habit belongs to the user's day: it was completed today, or its rules ask for today. `dueOn` of
 * api/queries/habit/read.ts is the same rule in SQL, and test/service/habit/due-habits.test.ts compares the two.
 */
export const isDueOn = (state: StreakState, rules: Rules, today: string): boolean =>
  dueDays(state, rules)(today);

/** The same for many days; the streak is replayed only once. */
export function dueDays(state: StreakState, rules: Rules): (today: string) => boolean {
  const { next_due, recent_dates } = view(state, rules);
  const free = freeSpans({ rules, free: spansOf(withNewFields(state).free) });
  const rhythm = rhythmOf(rules);
  return (today) => {
    if (recent_dates.includes(today)) return true;
    if (isFree(free, dayNumber(today))) return false;
    if ("weekdays" in rhythm) return rhythm.weekdays.includes(isoWeekday(dayNumber(today)));
    return next_due === null || next_due <= today;
  };
}
