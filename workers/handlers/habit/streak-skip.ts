import { dayNumber, isoWeekday } from "../../../shared/domain/day/day.ts";
import { isFree, spansOf, withoutSkip, withSkip } from "../../../shared/domain/habit/free-days.ts";
import { isCompletedOn } from "../../../shared/domain/habit/recent-events.ts";
import { rhythmOf } from "../../../shared/domain/habit/rhythm.ts";
import type { Rules } from "../../../shared/domain/habit/schedule.ts";
import {
  type FullStreakState,
  type StreakState,
  settleUntil,
  withFreeDays,
  withNewFields,
} from "../../../shared/domain/habit/streak.ts";

/**
 * The number of days ahead that can be skipped. Days before today can be skipped as far back as they can be
 * completed.
 */
export const daysAhead = 30;

/** Frees a day, or its week, as if it had been skipped in advance. */
export function skipDay(
  state: StreakState,
  rules: Rules,
  date: string,
  today: string,
): StreakState | "already_completed" | "already_skipped" | "not_due" {
  const day = dayNumber(date);
  const open = withNewFields(settleUntil(state, rules, dayNumber(today)));
  if (isCompletedOn(open.recent, day)) return "already_completed";
  if (open.free.skips.includes(day)) return "already_skipped";
  if (isNeverDue(open, rules, day)) return "not_due";
  return withFreeDays(open, withSkip(open.free, day));
}

/** True if no day like this is ever due. Other rhythms than weekdays decide only when the day comes. */
function isNeverDue({ free }: FullStreakState, rules: Rules, day: number): boolean {
  const rhythm = rhythmOf(rules);
  if ("weekdays" in rhythm && !rhythm.weekdays.includes(isoWeekday(day))) return true;
  return isFree(spansOf({ ...free, skips: [] }), day);
}

/** The streak as if that day had never been skipped. */
export function unskipDay(
  state: StreakState,
  rules: Rules,
  date: string,
  today: string,
): StreakState | "not_skipped" {
  const day = dayNumber(date);
  const open = withNewFields(settleUntil(state, rules, dayNumber(today)));
  if (!open.free.skips.includes(day)) return "not_skipped";
  return withFreeDays(open, withoutSkip(open.free, day));
}
