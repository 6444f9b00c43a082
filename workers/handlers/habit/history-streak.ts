import { dayNumber } from "../../../shared/domain/day/day.ts";
import {
  type FreeDays,
  noFreeDays,
  settledFreeDays,
  spansOf,
} from "../../../shared/domain/habit/free-days.ts";
import type { Rules } from "../../../shared/domain/habit/schedule.ts";
import { changeableDays, type StreakState, withFreeDays } from "../../../shared/domain/habit/streak.ts";
import { completed, noTally } from "../../../shared/domain/habit/tally.ts";

type History = Readonly<{ dates: Iterable<string>; free?: FreeDays }>;

/**
 * The streak of an imported habit, as if it had been completed on each of these days under its present rules. The
 * last days can be changed as if they had been completed here.
 * @param history dates in any order, none after today
 */
export function streakOfHistory(
  { dates, free = noFreeDays }: History,
  rules: Rules,
  today: string,
): StreakState {
  const days = [...new Set(dates)].map(dayNumber).sort((one, other) => one - other);
  const since = dayNumber(today) - changeableDays;
  const demand = { rules, free: spansOf(free) };
  const settled = days
    .filter((day) => day < since)
    .reduce((tally, day) => completed(tally, demand, day), noTally);
  const recent = days
    .filter((day) => day >= since)
    .map((day, index) => ({ day, kind: "completed" as const, n: index + 1 }));
  const settledDays = settledFreeDays(free, Math.min(since, settled.from), since);
  return withFreeDays({ settled, recent, since, last: recent.length }, settledDays);
}
