import { dayNumber, localDay } from "../../../shared/domain/day/day.ts";
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
  withNewFields,
} from "../../../shared/domain/habit/streak.ts";

/**
 * Takes back single changes of a habit as if they had never happened, although others completed, undid, edited and
 * travelled since. What is settled stays, because its events are no longer known; taking something back settles nothing
 * more, so that it can be brought back for as long as nobody else changes the habit. "As if it had never happened" means:
 *
 * - Of a completion: the streak without it. Everything else that happened keeps its place, its day and its rules.
 * - Of an undo: the completion is in its old place, before all that happened after it.
 * - Of an edit: the edits are what they were before it. Its rules are in force, so edits after it have led away from them
 *   and back to them, or there are none; they go with it. Edits before it, and all completions, stay as they are now.
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
 * The streak as if the rules had never been edited. If the edit is settled, the old rules count from today on instead.
 *
 * @param rules those in force, which are those that the edit brought
 * @param oldRules those that it replaced, and that are in force from now on
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
  // The list that has one more ends with the edit, or with the one that it was merged with.
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

type DaySettings = Readonly<{ time_zone: string; day_start_hour: number }>;

/**
 * The streak of a deleted habit that comes back after its user's zone or start of day changed: as if both had happened
 * at this moment.
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
