import { dayNumber } from "../../../shared/domain/day/day.ts";
import { rhythmOf } from "../../../shared/domain/habit/rhythm.ts";
import type { Rules } from "../../../shared/domain/habit/schedule.ts";
import { type StreakState, tallyOf } from "../../../shared/domain/habit/streak.ts";
import { missedUntil } from "../../../shared/domain/habit/tally.ts";

/**
 * The misses that a living streak still forgives: due days in a row, or days after the end of a week with too few
 * completions. Missed days before today have used some of it.
 */
export function graceLeft(state: StreakState, rules: Rules, today: string): number {
  const { tally, demand, end } = tallyOf(state, rules);
  const day = dayNumber(today);
  const isWeekly = "times" in rhythmOf(rules);
  const left = isWeekly
    ? (end ?? tally.alive) - day
    : rules.grace_days - tally.misses - missedUntil(tally, demand, day);
  return Math.max(0, Math.min(left, rules.grace_days));
}
