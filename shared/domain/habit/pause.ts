import { dayNumber } from "../day/day.ts";
import { withPause } from "./free-days.ts";
import type { Rules } from "./schedule.ts";
import { daysBack, type StreakState, settleUntil, withFreeDays, withNewFields } from "./streak.ts";

/** The pause of a habit. Without a last day it lasts until it is ended. */
export type PauseDates = Readonly<{ paused_from: string | null; paused_through: string | null }>;

export const isPausedOn = ({ paused_from, paused_through }: PauseDates, date: string): boolean =>
  paused_from !== null && paused_from <= date && (paused_through === null || date <= paused_through);

/**
 * Replaces the pause of a habit. Days from `daysBack` before today on count as if it had been set on its first day.
 * Earlier paused days stay free.
 */
export function setPause(state: StreakState, rules: Rules, pause: PauseDates, today: string): StreakState {
  const { paused_from: from, paused_through: through } = pause;
  const day = dayNumber(today);
  const open = withNewFields(settleUntil(state, rules, day));
  const change = {
    pause: from === null ? null : ([dayNumber(from), through === null ? null : dayNumber(through)] as const),
    today: day,
    first: Math.max(open.since, day - daysBack),
  };
  return withFreeDays(open, withPause(open.free, change));
}
