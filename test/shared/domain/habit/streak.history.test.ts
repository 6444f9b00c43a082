import { expect, test } from "bun:test";
import fc from "fast-check";
import * as streak from "../../../../shared/domain/habit/streak.ts";
import { agree, daysPassed, type Habit, newHabit, obey } from "../../../support/streak/streak-habit.ts";
import {
  type Command,
  type History,
  livesInRealZones,
  ordinaryLives,
  restlessLives,
  told,
} from "../../../support/streak/streak-history.ts";

test.each([
  ["ordinary lives", 5_000, ordinaryLives],
  ["restless lives", 5_000, restlessLives],
  ["lives in real zones", 2_000, livesInRealZones],
])(
  "the streak is its full recomputation: %s",
  (_, numRuns, lives) => {
    fc.assert(fc.property(lives, live), { numRuns, includeErrorInReport: true });
  },
  120_000,
);

function live(history: History): void {
  const habit = newHabit(history);
  try {
    for (const command of history.commands) keepsItsPromise(habit, command);
    agree(habit);
  } catch (error) {
    throw new Error(`${told(history)}\n\n${error instanceof Error ? error.message : error}`);
  }
}

/** Rules that hold for every command, independent of the recomputation. */
function keepsItsPromise(habit: Habit, command: Command): void {
  const before = shown(daysPassed(habit, command.today), command.today);
  const { state } = habit;
  obey(habit, command);
  const after = shown(daysPassed(habit, habit.today), habit.today);
  if (command.kind === "edit") expect(after).toEqual(before);
  // After today moved back, the end of a pause makes days due that had passed.
  const isPause = command.kind === "pause" && command.today === habit.furthest;
  if (isPause || command.kind === "move" || command.kind === "skip")
    expect(after.count).toBeGreaterThanOrEqual(before.count);
  if (command.kind !== "complete" || habit.state === state) return;
  expect(after.count).toBeGreaterThanOrEqual(before.count);
  const undone = streak.undo(habit.state, habit.rules, command.date, command.today);
  if (typeof undone === "string") throw new Error("a completion can be undone");
  expect(shown({ ...habit, state: undone }, command.today)).toEqual(before);
}

function shown({ rules, state }: Habit, today: string) {
  const { streak_count, longest_streak, alive_through } = streak.view(state, rules);
  const alive = alive_through !== null && today <= alive_through;
  return { count: alive ? streak_count : 0, longest: longest_streak };
}
