import { expect, test } from "bun:test";
import fc from "fast-check";
import { addDays, dayNumber } from "../../shared/domain/day.ts";
import { sameDemand } from "../../shared/domain/rhythm.ts";
import type { Rules } from "../../shared/domain/schedule.ts";
import * as streak from "../../shared/domain/streak.ts";
import {
  type Command,
  type History,
  livesInRealZones,
  ordinaryLives,
  restlessLives,
  told,
} from "./streak-history.ts";
import {
  type Diary,
  doneDays,
  emptyDiary,
  isDue,
  jumpTo,
  passUntil,
  recompute,
  removeCompletion,
} from "./streak-spec.ts";

type Habit = { rules: Rules; state: streak.StreakState; diary: Diary; today: string; furthest: string };

test.each([
  ["ordinary lives", 30_000, ordinaryLives],
  ["restless lives", 30_000, restlessLives],
  ["lives in real zones", 10_000, livesInRealZones],
])(
  "the streak is its full recomputation: %s",
  (_, numRuns, lives) => {
    fc.assert(fc.property(lives, live), { numRuns, includeErrorInReport: true });
  },
  120_000,
);

function live(history: History): void {
  const { rules, start, commands } = history;
  const state = streak.newStreak();
  const habit = { rules, state, diary: emptyDiary(rules, dayNumber(start)), today: start, furthest: start };
  try {
    for (const command of commands) keepsItsPromise(habit, command);
    agree(habit);
  } catch (error) {
    throw new Error(`${told(history)}\n\n${error instanceof Error ? error.message : error}`);
  }
}

/** Rules that hold for every command, whatever the recomputation says. */
function keepsItsPromise(habit: Habit, command: Command): void {
  const before = shown(daysPassed(habit, command.today), command.today);
  const { state } = habit;
  obey(habit, command);
  const after = shown(daysPassed(habit, habit.today), habit.today);
  if (command.kind === "edit") expect(after).toEqual(before);
  if (command.kind === "move") expect(after.count).toBeGreaterThanOrEqual(before.count);
  if (command.kind !== "complete" || habit.state === state) return;
  expect(after.count).toBeGreaterThanOrEqual(before.count);
  const undone = streak.undo(habit.state, habit.rules, command.date, command.today);
  if (undone === "not_completed") throw new Error("a completion can be undone");
  expect(shown({ ...habit, state: undone }, command.today)).toEqual(before);
}

/** A skipped day that came again may have passed since the last change, which only the next one takes note of. */
const daysPassed = (habit: Habit, today: string): Habit => ({
  ...habit,
  state: streak.moveDay(habit.state, habit.rules, today, today),
});

function shown({ rules, state }: Habit, today: string) {
  const { streak_count, longest_streak, alive_through } = streak.view(state, rules);
  const alive = alive_through !== null && today <= alive_through;
  return { count: alive ? streak_count : 0, longest: longest_streak };
}

/** Applies a command to the state and to the diary. The state must refuse what contradicts the diary. */
function obey(habit: Habit, command: Command): void {
  const { rules, diary } = habit;
  const day = dayNumber(command.today);
  passUntil(diary, day);
  habit.today = command.kind === "move" ? command.to : command.today;
  if (habit.today > habit.furthest) habit.furthest = habit.today;
  if (command.kind === "complete" || command.kind === "undo") {
    completeOrUndo(habit, command);
  } else if (command.kind === "edit") {
    habit.state = streak.editRules(habit.state, rules, command.to, command.today);
    habit.rules = command.to;
    if (!sameDemand(rules, command.to)) diary.deeds.push({ on: day, what: "edited", to: command.to });
  } else {
    habit.state = streak.moveDay(habit.state, rules, command.today, command.to);
    jumpTo(diary, dayNumber(command.to));
  }
}

type CompleteOrUndo = Extract<Command, { date: string }>;

function completeOrUndo(habit: Habit, { kind, date, today }: CompleteOrUndo): void {
  const { rules, state, diary } = habit;
  const day = dayNumber(date);
  expect(streak.firstChangeableDay(state) <= date).toBe(true);
  const change = kind === "complete" ? streak.complete : streak.undo;
  const next = change(state, rules, date, today);
  expect(typeof next === "string").toBe(doneDays(diary).includes(day) === (kind === "complete"));
  if (typeof next === "string") return;
  habit.state = next;
  if (kind === "complete") diary.deeds.push({ on: day, what: "completed" });
  else removeCompletion(diary, day);
}

/** Compares every column, and every day that today could become, with the diary. */
function agree(habit: Habit): void {
  const { rules, state, diary, furthest } = daysPassed(habit, habit.today);
  const { next_due: _, recent_dates, ...columns } = streak.view(state, rules);
  expect(columns).toEqual(recompute(diary));
  const done = doneDays(diary);
  const days = Array.from({ length: 14 }, (_, i) => addDays(furthest, i - 2));
  expect(days.filter((date) => recent_dates.includes(date))).toEqual(
    days.filter((date) => done.includes(dayNumber(date))),
  );
  expect(days.filter((date) => streak.isDueOn(state, rules, date))).toEqual(
    days.filter((date) => done.includes(dayNumber(date)) || isDue(rules, done, dayNumber(date))),
  );
}
