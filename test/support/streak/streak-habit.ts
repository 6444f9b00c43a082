import { expect } from "bun:test";
import { addDays, dayNumber } from "../../../shared/domain/day/day.ts";
import { setPause } from "../../../shared/domain/habit/pause.ts";
import { sameDemand } from "../../../shared/domain/habit/rhythm.ts";
import type { Rules } from "../../../shared/domain/habit/schedule.ts";
import * as streak from "../../../shared/domain/habit/streak.ts";
import { skipDay, unskipDay } from "../../../workers/handlers/habit/streak-skip.ts";
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

/** A habit with its stored streak and its timeline, so that both can be compared. */
export type Habit = {
  rules: Rules;
  state: streak.StreakState;
  timeline: Timeline;
  today: string;
  furthest: string;
};

export const newHabit = ({ rules, start }: History): Habit => ({
  rules,
  state: streak.newStreak(),
  timeline: emptyTimeline(rules, dayNumber(start)),
  today: start,
  furthest: start,
});

/** A skipped day that came again may have passed since the last change; only the next change notices that. */
export const daysPassed = (habit: Habit, today: string): Habit => ({
  ...habit,
  state: streak.moveDay(habit.state, habit.rules, today, today),
});

/**
 * Applies a command to the state and to the timeline. The state must refuse a command that contradicts the
 * timeline.
 */
export function obey(habit: Habit, command: Command): void {
  const { rules, timeline } = habit;
  const day = dayNumber(command.today);
  passUntil(timeline, day);
  habit.today = command.kind === "move" ? command.to : command.today;
  if (habit.today > habit.furthest) habit.furthest = habit.today;
  if (command.kind === "complete" || command.kind === "undo") {
    completeOrUndo(habit, command);
  } else if (command.kind === "skip" || command.kind === "unskip") {
    skipOrNot(habit, command);
  } else if (command.kind === "pause") {
    habit.state = setPause(habit.state, rules, command.to, command.today);
    pauseFor(timeline, command.to);
  } else if (command.kind === "edit") {
    habit.state = streak.editRules(habit.state, rules, command.to, command.today);
    habit.rules = command.to;
    if (!sameDemand(rules, command.to)) timeline.events.push({ on: day, what: "edited", to: command.to });
  } else {
    habit.state = streak.moveDay(habit.state, rules, command.today, command.to);
    jumpTo(timeline, dayNumber(command.to));
  }
}

type CompleteOrUndo = Extract<Command, { kind: "complete" | "undo" }>;

function completeOrUndo(habit: Habit, { kind, date, today }: CompleteOrUndo): void {
  const { rules, state, timeline } = habit;
  const day = dayNumber(date);
  expect(streak.firstChangeableDay(state) <= date).toBe(true);
  const change = kind === "complete" ? streak.complete : streak.undo;
  const next = change(state, rules, date, today);
  const isSkipped = kind === "complete" && timeline.free.skips.has(day);
  expect(next === "skipped").toBe(isSkipped);
  expect(typeof next === "string").toBe(
    isSkipped || doneDays(timeline).includes(day) === (kind === "complete"),
  );
  if (typeof next === "string") return;
  habit.state = next;
  if (kind === "complete") timeline.events.push({ on: day, what: "completed" });
  else removeCompletion(timeline, day);
}

type SkipOrNot = Extract<Command, { kind: "skip" | "unskip" }>;

function skipOrNot(habit: Habit, { kind, date, today }: SkipOrNot): void {
  const { rules, state, timeline } = habit;
  const day = dayNumber(date);
  const next = (kind === "skip" ? skipDay : unskipDay)(state, rules, date, today);
  const isDone = kind === "skip" && doneDays(timeline).includes(day);
  expect(next === "already_completed").toBe(isDone);
  if (next === "not_due") return;
  expect(typeof next === "string").toBe(isDone || timeline.free.skips.has(day) === (kind === "skip"));
  if (typeof next === "string") return;
  habit.state = next;
  if (kind === "skip") timeline.free.skips.add(day);
  else timeline.free.skips.delete(day);
}

/** Compares every column, and every possible today, with the timeline. */
export function agree(habit: Habit): void {
  const { rules, state, timeline, furthest } = daysPassed(habit, habit.today);
  const {
    next_due: _,
    free_dates: __,
    skipped_dates: ___,
    recent_dates,
    ...columns
  } = streak.view(state, rules);
  expect(columns).toEqual(recompute(timeline));
  const done = doneDays(timeline);
  const days = Array.from({ length: 14 }, (_, i) => addDays(furthest, i - 2));
  expect(days.filter((date) => recent_dates.includes(date))).toEqual(
    days.filter((date) => done.includes(dayNumber(date))),
  );
  expect(days.filter((date) => streak.isDueOn(state, rules, date))).toEqual(
    days.filter((date) => done.includes(dayNumber(date)) || asksFor(timeline, rules, dayNumber(date))),
  );
}
