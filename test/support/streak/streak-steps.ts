import {
  completed,
  edited,
  type HabitHistory,
  isDoneOn,
  moved,
  withoutDone,
} from "../../../shared/domain/habit/history.ts";
import type { Rules, Schedule } from "../../../shared/domain/habit/rhythm.ts";
import { type StreakColumns, streakColumns } from "../../../shared/domain/habit/streak.ts";
import { nowOf, rowOf, shown as shownOn } from "./streak-habit.ts";

/** Days of May 2026; the 4th is a Monday, and days below 1 are in April. */
export const day = (n: number) => new Date(Date.UTC(2026, 4, n)).toISOString().slice(0, 10);

export const rules = (
  frequency: Rules["frequency"],
  grace_days: number,
  schedule: Schedule | null = null,
): Rules => ({ frequency, schedule, grace_days });

export const doneOn = (rules: Rules, ...days: number[]) => done(rowOf(rules), ...days);

/** Completes days that were not completed before. */
export const done = (row: HabitHistory, ...days: number[]): HabitHistory =>
  days.reduce((before, n) => doneNow(before, n), row);

function doneNow(row: HabitHistory, n: number): HabitHistory {
  if (isDoneOn(row, day(n))) throw new Error(`${day(n)} is completed already`);
  return { ...row, ...completed(row, day(n), nowOf(row)) };
}

export const undone = (row: HabitHistory, n: number): HabitHistory => ({
  ...row,
  ...withoutDone(row, day(n)),
});

export const edit = (row: HabitHistory, to: Rules, n: number): HabitHistory => ({
  ...row,
  ...to,
  edits: edited(row, to, day(n), nowOf(row)),
});

export const move = (row: HabitHistory, from: number, to: number): HabitHistory => ({
  ...row,
  ...moved(row, day(from), day(to)),
});

export const columns = (row: HabitHistory, n: number): StreakColumns => streakColumns(row, day(n));

/** The streak that a query would answer on a day, after a change on that day. */
export const shown = (row: HabitHistory, n: number): number => shownOn(row, day(n));
