import { expect, test } from "bun:test";
import fc from "fast-check";
import { completed, withoutDone } from "../../../../shared/domain/habit/history.ts";
import { streakColumns } from "../../../../shared/domain/habit/streak.ts";
import { agree, type Habit, newHabit, nowOf, obey, shown } from "../../../support/streak/streak-habit.ts";
import {
  type Command,
  type History,
  livesInRealZones,
  ordinaryLives,
  restlessLives,
} from "../../../support/streak/streak-history.ts";

/** LIVES sets a longer search. */
const numRuns = Number(Bun.env.LIVES ?? 800);

test.each([
  ["ordinary lives", ordinaryLives],
  ["restless lives", restlessLives],
  ["lives in real zones", livesInRealZones],
])(
  "the streak is its full recomputation: %s",
  (_, lives) => {
    fc.assert(fc.property(lives, live), { numRuns, includeErrorInReport: true });
  },
  900_000,
);

function live(history: History): void {
  const habit = newHabit(history);
  for (const command of history.commands) keepsItsPromise(habit, command);
  agree(habit);
}

/** Rules that hold for every command, independent of the recomputation. */
function keepsItsPromise(habit: Habit, command: Command): void {
  const { row } = habit;
  const before = shownIn(row, command.today);
  obey(habit, command);
  const after = shownIn(habit.row, habit.today);
  if (command.kind === "edit") expect(after).toEqual(before);
  // After today moved back, the end of a pause makes days due that had passed.
  const isPause = command.kind === "pause" && command.today === habit.furthest;
  if (isPause || command.kind === "move" || command.kind === "skip")
    expect(after.count).toBeGreaterThanOrEqual(before.count);
  if (command.kind !== "complete" || habit.row === row) return;
  expect(after.count).toBeGreaterThanOrEqual(before.count);
  const undone = { ...habit.row, ...withoutDone(habit.row, command.date) };
  expect(shownIn(undone, command.today)).toEqual(before);
  expect({ ...undone, ...completed(undone, command.date, nowOf(undone)) }).toEqual(habit.row);
}

const shownIn = (row: Habit["row"], today: string) => ({
  count: shown(row, today),
  longest: streakColumns(row, today).longest_streak,
});
