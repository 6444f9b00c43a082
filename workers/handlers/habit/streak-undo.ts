import { dayNumber, localDay } from "../../../shared/domain/day/day.ts";
import {
  type FreeDays,
  noFreeDays,
  pausesFrom,
  withoutSkip,
  withSkip,
} from "../../../shared/domain/habit/free-days.ts";
import {
  editsOf,
  isCompletedOn,
  numbered,
  putBack,
  type StreakEvents,
  withoutCompletion,
} from "../../../shared/domain/habit/recent-events.ts";
import { sameDemand } from "../../../shared/domain/habit/rhythm.ts";
import type { Rules } from "../../../shared/domain/habit/schedule.ts";
import {
  firstChangeableDay,
  moveDay,
  type StreakState,
  settleSince,
  withEdit,
  withFreeDays,
  withNewFields,
} from "../../../shared/domain/habit/streak.ts";

/**
 * Undoes single changes of a habit as if they had never happened, although other completions, undos, edits and
 * journeys followed. Settled days stay, because their events are gone. An undo settles nothing, so it can be undone
 * until somebody else changes the habit. "As if it had never happened" means:
 * - For a completion: the streak without it. All other events keep their place, day and rules.
 * - For an undo: the completion is in its old place, before all later events.
 * - For an edit: the edits before it. Its rules are in force, so later edits led away from them and back, or there
 * are none; these go with it. Earlier edits and all completions stay.
 */

/** The stored recent events before and after the change to undo. */
export type StreakChange = Readonly<{ before: StreakEvents; after: StreakEvents }>;

/** The streak as if a day, even one too old for an ordinary undo, had never been completed. */
export function withoutCompletionOf(
  state: StreakState,
  rules: Rules,
  date: string,
  today: string,
): StreakState | "settled" | "not_completed" {
  const day = dayNumber(date);
  if (date < firstChangeableDay(state)) return "settled";
  if (!isCompletedOn(state.recent, day)) return "not_completed";
  const stored = withNewFields(state);
  return settleSince({ ...stored, recent: withoutCompletion(stored.recent, day) }, rules, dayNumber(today));
}

/** The streak as if the completion of a day had never been undone. */
export function restoredCompletion(
  state: StreakState,
  rules: Rules,
  date: string,
  today: string,
  { before }: StreakChange,
): StreakState | "settled" | "already_completed" {
  const day = dayNumber(date);
  if (date < firstChangeableDay(state)) return "settled";
  if (isCompletedOn(state.recent, day)) return "already_completed";
  const stored = withNewFields(state);
  const completion = numbered(before).find((event) => event.kind === "completed" && event.day === day);
  if (completion?.kind !== "completed") return "settled";
  const recent = putBack(stored.recent, completion);
  return settleSince({ ...stored, recent }, rules, dayNumber(today));
}

/**
 * The streak as if the rules had never been edited. If the edit is settled, the old rules count from today on
 * instead.
 * @param rules those in force, which the edit brought
 * @param oldRules those that it replaced, in force from now on
 */
export function withoutEdit(
  state: StreakState,
  rules: Rules,
  oldRules: Rules,
  today: string,
  { before, after }: StreakChange,
): StreakState {
  if (sameDemand(rules, oldRules)) return state;
  const stored = withNewFields(state);
  const edits = editsOf(numbered(before));
  // The longer list ends with the edit, or with the one into which it was merged.
  const edit = [...edits, ...editsOf(numbered(after))].sort((a, b) => a.n - b.n).at(-1);
  const first = dayNumber(firstChangeableDay(state));
  const isSettled = ({ n, day }: { n: number; day: number }) =>
    day < first && editsOf(stored.recent).every((other) => other.n !== n);
  if (edit === undefined || isSettled(edit))
    return withEdit(settleSince(stored, rules, dayNumber(today)), rules, dayNumber(today));
  const others = stored.recent.filter(({ kind }) => kind !== "edited");
  const recent = edits.filter((one) => !isSettled(one)).reduce<StreakEvents>(putBack, others);
  return settleSince({ ...stored, recent }, oldRules, dayNumber(today));
}

/** The streak as if a pause had never been set or ended. Days that can no longer change stay as they are. */
export function withoutPauseChange(
  state: StreakState,
  rules: Rules,
  today: string,
  before: FreeDays = noFreeDays,
): StreakState {
  const stored = withNewFields(state);
  const pauses = pausesFrom(before.pauses, stored.free.pauses, dayNumber(firstChangeableDay(state)));
  return settleSince(withFreeDays(stored, { ...stored.free, pauses }), rules, dayNumber(today));
}

type SkipChange = Readonly<{ added: readonly string[]; removed: readonly string[] }>;

/** The streak with other skips, if each of the days can still change and is as the change left it. */
export function withSkipChange(
  state: StreakState,
  rules: Rules,
  today: string,
  { added, removed }: SkipChange,
): StreakState | "settled" | "changed" {
  const first = firstChangeableDay(state);
  if ([...added, ...removed].some((date) => date < first)) return "settled";
  const stored = withNewFields(state);
  const isFree = (date: string) => stored.free.skips.includes(dayNumber(date));
  const isDone = (date: string) => isCompletedOn(stored.recent, dayNumber(date));
  if (removed.some((date) => !isFree(date)) || added.some((date) => isFree(date) || isDone(date)))
    return "changed";
  const kept = removed.map(dayNumber).reduce(withoutSkip, stored.free);
  const free = added.map(dayNumber).reduce(withSkip, kept);
  return settleSince(withFreeDays(stored, free), rules, dayNumber(today));
}

type DaySettings = Readonly<{ time_zone: string; day_start_hour: number }>;

/**
 * The streak of a restored habit whose user's zone or start of day changed since the deletion, as if both had
 * happened now.
 */
export function movedMeanwhile(
  state: StreakState,
  rules: Rules,
  { from, to }: { from: DaySettings; to: DaySettings },
  now: number,
): StreakState {
  const today = ({ time_zone, day_start_hour }: DaySettings) => localDay(now, time_zone, day_start_hour);
  return moveDay(state, rules, today(from), today(to));
}
