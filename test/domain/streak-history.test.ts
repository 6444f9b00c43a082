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
import { type Diary, doneDays, emptyDiary, isDue, recompute, removeCompletion } from "./streak-spec.ts";

type Habit = { rules: Rules; state: streak.StreakState; diary: Diary; today: string; furthest: string };

test.each([
  ["ordinary lives", 60_000, ordinaryLives],
  ["restless lives", 60_000, restlessLives],
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
  const habit = { rules, state, diary: emptyDiary(rules), today: start, furthest: start };
  try {
    for (const command of commands) keepsItsPromise(habit, command);
    agree(habit);
  } catch (error) {
    throw new Error(`${told(history)}\n\n${error instanceof Error ? error.message : error}`);
  }
}

/** Rules that hold for every command, whatever the recomputation says. */
function keepsItsPromise(habit: Habit, command: Command): void {
  const before = shown(habit, command.today);
  const { state } = habit;
  obey(habit, command);
  const after = shown(habit, habit.today);
  if (command.kind === "edit") expect(after).toEqual(before);
  if (command.kind === "move") expect(after.count).toBeGreaterThanOrEqual(before.count);
  if (command.kind !== "complete" || habit.state === state) return;
  expect(after.count).toBeGreaterThanOrEqual(before.count);
  const undone = streak.undo(habit.state, habit.rules, command.today);
  if (undone === "not_completed") throw new Error("a completion can be undone");
  expect(shown({ ...habit, state: undone }, command.today)).toEqual(before);
}

function shown({ rules, state }: Habit, today: string) {
  const { streak_count, longest_streak, alive_through } = streak.view(state, rules);
  const alive = alive_through !== null && today <= alive_through;
  return { count: alive ? streak_count : 0, longest: longest_streak };
}

/** Applies a command to the state and to the diary. The state must refuse what contradicts the diary. */
function obey(habit: Habit, command: Command): void {
  const { rules, diary } = habit;
  const day = dayNumber(command.today);
  habit.today = command.kind === "move" ? command.to : command.today;
  if (habit.today > habit.furthest) habit.furthest = habit.today;
  if (command.kind === "complete") {
    const next = streak.complete(habit.state, rules, command.today);
    expect(next === "already_completed").toBe(doneDays(diary).includes(day));
    if (next === "already_completed") return;
    habit.state = next;
    diary.deeds.push({ on: day, what: "completed" });
  } else if (command.kind === "undo") {
    const next = streak.undo(habit.state, rules, command.today);
    expect(next === "not_completed").toBe(!doneDays(diary).includes(day));
    if (next === "not_completed") return;
    habit.state = next;
    removeCompletion(diary, day);
  } else if (command.kind === "edit") {
    habit.state = streak.editRules(habit.state, rules, command.to, command.today);
    habit.rules = command.to;
    if (!sameDemand(rules, command.to)) diary.deeds.push({ on: day, what: "edited", to: command.to });
  } else {
    habit.state = streak.moveDay(habit.state, rules, command.today, command.to);
    for (let skipped = day; skipped < dayNumber(command.to); skipped++) diary.skipped.add(skipped);
  }
}

/** Compares every column, and every day that today could become, with the diary. */
function agree({ rules, state, diary, furthest }: Habit): void {
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
