import type { Rules, Schedule } from "../../../shared/domain/habit/schedule.ts";
import { complete, newStreak, type StreakState, undo, view } from "../../../shared/domain/habit/streak.ts";

/** Days of May 2026; the 4th is a Monday, and days below 1 are in April. */
export const day = (n: number) => new Date(Date.UTC(2026, 4, n)).toISOString().slice(0, 10);

export const rules = (
  frequency: Rules["frequency"],
  grace_days: number,
  schedule: Schedule | null = null,
): Rules => ({ frequency, schedule, grace_days });

export const doneOn = (rules: Rules, ...days: number[]) =>
  days.reduce((state, n) => done(state, rules, n), newStreak());

/** Completes a day, by default today. */
export function done(state: StreakState, rules: Rules, n: number, today = n): StreakState {
  const next = complete(state, rules, day(n), day(today));
  if (typeof next === "string") throw new Error(`${day(n)} is ${next}`);
  return next;
}

export function undone(state: StreakState, rules: Rules, n: number, today = n): StreakState {
  const next = undo(state, rules, day(n), day(today));
  if (next === "not_completed") throw new Error(`${day(n)} is not completed`);
  return next;
}

/** The streak_count that a query would answer. */
export function shown(state: StreakState, rules: Rules, n: number): number {
  const { streak_count, alive_through } = view(state, rules);
  return alive_through !== null && day(n) <= alive_through ? streak_count : 0;
}
