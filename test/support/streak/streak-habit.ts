import { expect } from "bun:test";
import { addDays, dateOfDay, dayNumber } from "../../../shared/domain/day/day.ts";
import { withPause } from "../../../shared/domain/habit/free-days.ts";
import * as history from "../../../shared/domain/habit/history.ts";
import type { Rules } from "../../../shared/domain/habit/rhythm.ts";
import { sameDemand } from "../../../shared/domain/habit/rhythm.ts";
import {
  isDueOn,
  nextAsked,
  type StreakColumns,
  streakColumns,
} from "../../../shared/domain/habit/streak.ts";
import type { Command, History } from "./streak-history.ts";
import {
  asksFor,
  doneDays,
  emptyTimeline,
  jumpTo,
  passUntil,
  pauseFor,
  recompute,
  removeCompletion,
  type Timeline,
} from "./streak-spec.ts";

/** A habit as its row has it, and its timeline, so that both can be compared. */
export type Habit = { row: history.HabitHistory; timeline: Timeline; today: string; furthest: string };

export const rowOf = (rules: Rules): history.HabitHistory => ({ ...history.noHistory, ...rules });

export const newHabit = ({ rules, start }: History): Habit => ({
  row: rowOf(rules),
  timeline: emptyTimeline(rules, dayNumber(start)),
  today: start,
  furthest: start,
});

/** A time after all edits so far. */
export const nowOf = ({ edits }: history.HabitHistory): string =>
  new Date(Date.parse(edits.at(-1)?.at ?? "2026-01-01T00:00:00Z") + 1).toISOString();

/** The row after a command; the same row if the day is already so, or was skipped. */
export function obeyed(row: history.HabitHistory, command: Command): history.HabitHistory {
  const { today } = command;
  if (command.kind === "pause") return { ...row, pauses: withPause(row.pauses, command.to, today) };
  if (command.kind === "edit")
    return { ...row, ...command.to, edits: history.edited(row, command.to, today, nowOf(row)) };
  if (command.kind === "move") return { ...row, ...history.moved(row, today, command.to) };
  const { kind, date } = command;
  const { skipped_dates } = row;
  const [isDone, isSkipped] = [history.isDoneOn(row, date), skipped_dates.includes(date)];
  if (kind === "undo") return isDone ? { ...row, ...history.withoutDone(row, date) } : row;
  if (kind === "unskip") return { ...row, skipped_dates: skipped_dates.filter((one) => one !== date) };
  if (isDone || isSkipped) return row;
  if (kind === "complete") return { ...row, ...history.completed(row, date, nowOf(row)) };
  return { ...row, skipped_dates: [...skipped_dates, date].sort() };
}

/** Applies a command to the row and to the timeline. */
export function obey(habit: Habit, command: Command): void {
  const { row, timeline } = habit;
  passUntil(timeline, dayNumber(command.today));
  habit.row = obeyed(row, command);
  habit.today = command.kind === "move" ? command.to : command.today;
  if (habit.today > habit.furthest) habit.furthest = habit.today;
  note(timeline, command, row);
}

/** Writes a command into a timeline. @param rules those before it */
export function note(timeline: Timeline, command: Command, rules: Rules): void {
  const { events, free } = timeline;
  if (command.kind === "pause") pauseFor(timeline, command.to);
  else if (command.kind === "move") jumpTo(timeline, dayNumber(command.to));
  else if (command.kind === "edit" && !sameDemand(rules, command.to))
    events.push({ on: dayNumber(command.today), what: "edited", to: command.to });
  if (!("date" in command)) return;
  const day = dayNumber(command.date);
  const isDone = doneDays(timeline).includes(day);
  if (command.kind === "undo") removeCompletion(timeline, day);
  else if (command.kind === "unskip") free.skips.delete(day);
  else if (isDone || free.skips.has(day)) return;
  else if (command.kind === "skip") free.skips.add(day);
  else events.push({ on: day, what: "completed" });
}

/** The columns of a row by the full recomputation of its timeline. */
export function expectedColumns(timeline: Timeline): Partial<StreakColumns> {
  const { streak_count: streak, alive_through: streak_alive_through, ...others } = recompute(timeline);
  return { streak, streak_alive_through, ...others, completions_count: doneDays(timeline).length };
}

/** Compares the columns, and every possible today, with the timeline. */
export function agree({ row, timeline, today, furthest }: Habit): void {
  const columns = streakColumns(row, today);
  expect(columns).toMatchObject(expectedColumns(timeline));
  const done = doneDays(timeline);
  expect(history.doneDays(row)).toEqual(done.toSorted((a, b) => a - b));
  const days = Array.from({ length: 14 }, (_, i) => addDays(furthest, i - 2));
  expect(days.filter((date) => columns.recent_dates.includes(date))).toEqual(
    days.filter((date) => done.includes(dayNumber(date))),
  );
  const isAsked = (date: string) => asksFor(timeline, row, dayNumber(date));
  expect(days.filter((date) => isDueOn({ ...row, ...columns }, date))).toEqual(
    days.filter((date) => done.includes(dayNumber(date)) || isAsked(date)),
  );
  for (const date of days) {
    const next = nextAsked({ ...row, ...columns }, dayNumber(date));
    const last = dayNumber(days.at(-1) ?? date);
    expect(next <= last ? dateOfDay(next) : undefined).toBe(days.find((one) => one >= date && isAsked(one)));
  }
}

/** The streak that a query would answer. */
export function shown(row: history.HabitHistory, today: string): number {
  const { streak, streak_alive_through: end } = streakColumns(row, today);
  return end !== null && today <= end ? streak : 0;
}
