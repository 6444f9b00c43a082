import { dayNumber } from "../../../shared/domain/day/day.ts";
import { completed, noRun } from "../../../shared/domain/habit/run.ts";
import type { Rules } from "../../../shared/domain/habit/schedule.ts";
import { changeableDays, type StreakState } from "../../../shared/domain/habit/streak.ts";

/**
 * The streak of a habit that comes with its history, as if it had been completed on each of these days under its present
 * rules. The last days can be changed as if they had been completed here.
 * @param dates in any order, none after today
 */
export function streakOfHistory(dates: Iterable<string>, rules: Rules, today: string): StreakState {
  const days = [...new Set(dates)].map(dayNumber).sort((one, other) => one - other);
  const since = dayNumber(today) - changeableDays;
  const settled = days.filter((day) => day < since).reduce((run, day) => completed(run, rules, day), noRun);
  const recent = days
    .filter((day) => day >= since)
    .map((day, index) => ({ day, kind: "completed" as const, n: index + 1 }));
  return { settled, recent, since, last: recent.length };
}
