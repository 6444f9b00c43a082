import { expect, test } from "bun:test";
import type { HabitHistory } from "../../../shared/domain/habit/history.ts";
import { columns, day, done, doneOn, edit, rules, undone } from "../../support/streak/streak-steps.ts";

const daily = (grace: number) => rules("daily", grace);
const weekly = doneOn(rules("weekly", 1), -15, -8, -1);
const monWedFri = (grace: number) => rules("custom", grace, { weekdays: [1, 3, 5] });
const thrice = doneOn(rules("custom", 1, { times_per_week: 3 }), -3, -2, -1, 4, 5);
const everyThird = doneOn(rules("custom", 1, { every_days: 3 }), 1, 4);
const workWeek = (grace: number) => doneOn(daily(grace), 4, 5, 6, 7, 8);
const graceCut = edit(workWeek(3), daily(0), 11);

/** A habit, the day of May 2026 on which it is read, the streak on that day, and the last day on which that lives. */
const examples: [what: string, habit: HabitHistory, on: number, count: number, alive: number | null][] = [
  ["daily g1, Sat not done yet", workWeek(1), 9, 5, 10],
  ["daily g1, Sunday, Sat missed", workWeek(1), 10, 5, 10],
  ["… completing it", done(workWeek(1), 10), 10, 6, 12],
  ["… and undoing that", undone(done(workWeek(1), 10), 10), 10, 5, 10],
  ["daily g1, Monday, Sat and Sun missed", workWeek(1), 11, 0, null],
  ["… completing it", done(workWeek(1), 11), 11, 1, 13],
  ["daily g0, Sat not done", workWeek(0), 9, 5, 9],
  ["daily g0, on Sun", workWeek(0), 10, 0, null],
  ["Mon Wed Fri g1, Wed missed, on Fri", doneOn(monWedFri(1), 4), 8, 1, 8],
  ["Mon Wed Fri g1, Wed missed, on Sat", doneOn(monWedFri(1), 4), 9, 0, null],
  ["Mon Wed Fri g0, all done, on Sun", doneOn(monWedFri(0), 4, 6, 8), 10, 3, 11],
  ["every 3 days g1, done 1 and 4, on 7", everyThird, 7, 2, 8],
  ["every 3 days g1, done 1 and 4, on 8", everyThird, 8, 2, 8],
  ["every 3 days g1, done 1 and 4, on 9", everyThird, 9, 0, null],
  ["weekly g1, a week missed, Sun 10", weekly, 10, 3, 11],
  ["weekly g1, a week missed, Mon 11", weekly, 11, 3, 11],
  ["… done on Mon 11", done(weekly, 11), 11, 4, 25],
  ["… not done by Tue 12", weekly, 12, 0, null],
  ["3 a week g1, week 2 has 2, Mon", thrice, 11, 1, 11],
  ["… done on Mon", done(thrice, 11), 11, 1, 18],
  ["… not done by Tue", thrice, 12, 0, null],
  ["daily g0 broken on Sat, g 5 on Sun", edit(workWeek(0), daily(5), 10), 10, 0, null],
  ["daily g3, weekend missed, g 0 on Mon", graceCut, 11, 5, 11],
  ["… done on Mon", done(graceCut, 11), 11, 6, 12],
  ["… not done by Tue", graceCut, 12, 0, null],
];

test.each(examples)("%s", (_, habit, on, count, alive) => {
  const { streak, streak_alive_through: end } = columns(habit, on);
  const isAlive = end !== null && day(on) <= end;
  const expected = { streak: count, end: alive === null ? null : day(alive) };
  expect(isAlive ? { streak, end } : { streak: 0, end: null }).toEqual(expected);
});
