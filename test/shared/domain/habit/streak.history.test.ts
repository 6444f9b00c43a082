import { expect, test } from "bun:test";
import fc from "fast-check";
import { dayNumber } from "../../../../shared/domain/day/day.ts";
import { completed, withoutDone } from "../../../../shared/domain/habit/history.ts";
import { streakColumns, streakRuns } from "../../../../shared/domain/habit/streak.ts";
import { agree, type Habit, newHabit, nowOf, obey, shown } from "../../../support/streak/streak-habit.ts";
import {
  type Command,
  type History,
  livesInRealZones,
  ordinaryLives,
  restlessLives,
} from "../../../support/streak/streak-history.ts";
import { day, done, doneOn, edit, move, rules, undone } from "../../../support/streak/streak-steps.ts";

/** LIVES sets a longer search. */
const numRuns = Number(Bun.env.LIVES ?? 800);

test.each([
  ["ordinary lives", ordinaryLives],
  ["restless lives", restlessLives],
  ["lives in real zones", livesInRealZones],
])("the streak is its full recomputation: %s", (_, lives) => {
  fc.assert(fc.property(lives, live), { numRuns, includeErrorInReport: true });
});

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

/** The longest of all streaks is the longest streak. */
function shownIn(row: Habit["row"], today: string) {
  const longest = streakColumns(row, today).longest_streak;
  expect(Math.max(0, ...streakRuns(row, today).map(({ count }) => count))).toBe(longest);
  return { count: shown(row, today), longest };
}

const [daily, weekly] = [rules("daily", 0), rules("weekly", 0)];

const twice: typeof daily = { frequency: "custom", schedule: { times_per_week: 2 }, grace_days: 0 };

// The 4th is a Monday.
test.each([
  [daily, [1, 2, 3, 5, 6], ["1 to 3: 3", "5 to 6: 2"]],
  [daily, [], []],
  [twice, [4, 6, 12, 14, 25, 27], ["4 to 14: 2", "25 to 27: 1"]],
  [twice, [1, 4, 6], ["4 to 6: 1"]],
])("the streaks of %j on the days %j are %j", (chosen, days, runs) => {
  const row = days.reduce((before, one) => done(before, one), doneOn(chosen));
  const found = streakRuns(row, day(days.at(-1) ?? 1));
  const number = (at: number) => at - dayNumber(day(1)) + 1;
  expect(found.map(({ from, through, count }) => `${number(from)} to ${number(through)}: ${count}`)).toEqual(
    runs,
  );
});

test("ten thousand edits on one day, with completions and journeys between them, leave a few", () => {
  let row = doneOn(daily, 4);
  for (let i = 0; i < 10_000; i++) {
    row = edit(row, i % 2 ? daily : weekly, 5);
    row = i % 4 < 2 ? done(undone(row, 5), 5) : undone(row, 5);
    row = move(move(row, 5, 6), 6, 5);
  }
  expect(row.edits.length).toBeLessThan(20);
  expect(row.neutral_dates).toEqual([day(5)]);
});
