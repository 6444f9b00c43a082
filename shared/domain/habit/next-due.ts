import { dateOfDay, weekStart } from "../day/day.ts";
import { rhythmOf } from "./rhythm.ts";
import type { Rules } from "./schedule.ts";
import type { StreakTally } from "./tally.ts";

/**
 * The first day on which a habit is due again; null when it is due every day or on fixed weekdays. `every_days` counts
 * from the last completion. A week with enough completions makes the habit due again on Monday.
 */
export function nextDue({ last, dates }: StreakTally, rules: Rules): string | null {
  const rhythm = rhythmOf(rules);
  if (last === null || "weekdays" in rhythm) return null;
  if ("every" in rhythm) return rhythm.every === 1 ? null : dateOfDay(last + rhythm.every);
  const monday = weekStart(last);
  const done = dates.filter((date) => date >= monday).length;
  return dateOfDay(done >= rhythm.times ? monday + 7 : monday);
}
