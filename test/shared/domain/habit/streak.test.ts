import { expect, test } from "bun:test";
import { isDoneOn } from "../../../../shared/domain/habit/history.ts";
import { isDueOn } from "../../../../shared/domain/habit/streak.ts";
import { rowOf } from "../../../support/streak/streak-habit.ts";
import {
  columns,
  day,
  done,
  doneOn,
  edit,
  move,
  rules,
  shown,
  undone,
} from "../../../support/streak/streak-steps.ts";

const daily = rules("daily", 0);
const weekly = rules("weekly", 0);
const thriceA = (grace: number) => rules("custom", grace, { times_per_week: 3 });
const thrice = thriceA(0);
const patient5Weekdays = rules("custom", 5, { weekdays: [1, 2, 3, 4, 5, 6, 7] });

const custom = rules("custom", 0);
const [patient, strict] = [rules("daily", 5), rules("daily", 1)];
const skipped = move(doneOn(daily, 4), 5, 6);
const filled = done(move(doneOn(daily, 4, 6), 6, 5), 5);
const thriceFrom7 = edit(doneOn(daily, 4, 5, 6), thrice, 7);
const editedTwice = (n: number) => edit(edit(doneOn(daily, 4), patient, n), daily, n);
const keptMisses = edit(edit(doneOn(patient, 1), patient5Weekdays, 4), strict, 8);
const back = move(done(skipped, 6), 6, 5);

test.each([
  ["a second completion in a satisfied week adds nothing", doneOn(weekly, 4, 5, 6), { 6: 1 }],
  ["a change of zone that skips a day breaks nothing; only that day is forgiven", skipped, { 6: 1, 7: 0 }],
  ["it stays neutral when it is skipped again", move(move(skipped, 6, 5), 5, 6), { 6: 1, 7: 0 }],
  ["after a change back", move(doneOn(daily, 4, 6), 6, 5), { 5: 1 }],
  ["the day before a completed one can be completed", filled, { 5: 3 }],
  ["and be taken back", undone(filled, 5), { 6: 1 }],
  ["the week of an edit can be won but not lost", thriceFrom7, { 10: 3, 17: 3, 18: 0 }],
  ["it is won", done(thriceFrom7, 7), { 7: 4 }],
  ["rules that demand the same forgive nothing", edit(doneOn(daily, 4), custom, 5), { 6: 0 }],
  ["an edit back and forth on one day does not break", editedTwice(5), { 5: 1 }],
  ["nor does it revive", editedTwice(6), { 6: 0 }],
  ["a further edit keeps what was missed since the first", keptMisses, { 8: 1, 9: 0 }],
  ["but it does not break the streak itself", done(keptMisses, 8), { 10: 2 }],
  ["what was done on a later day counts on until the day that came again has passed", back, { 5: 2 }],
  ["it is done", done(back, 5), { 6: 3 }],
  ["it passed undone", done(back, 7), { 7: 2 }],
])("%s", (_, row, streaks: Readonly<Record<number, number>>) => {
  const days = Object.keys(streaks).map(Number);
  expect(Object.fromEntries(days.map((n) => [n, shown(row, n)]))).toEqual(streaks);
});

test("an undo after an edit leaves the edit and no trace of the completion", () => {
  const without = columns(undone(edit(doneOn(daily, 4, 5), weekly, 5), 5), 5);
  expect(without).toEqual(columns(edit(doneOn(daily, 4), weekly, 5), 5));
  expect(without.longest_streak).toBe(1);
});

test("a broken streak that an undo brings back lives as long as it would have", () => {
  const restarted = doneOn(daily, 4, 5, 7);
  expect(shown(restarted, 7)).toBe(1);
  expect(columns(undone(restarted, 7), 7)).toMatchObject({ streak: 2, streak_alive_through: day(6) });
});

test("a time-zone change back onto a completed day leaves it completed", () => {
  const moved = move(doneOn(daily, 4, 5), 5, 4);
  expect(isDoneOn(moved, day(4))).toBe(true);
  expect(shown(moved, 4)).toBe(2);
});

test("the first edit after a completion forgives what was missed, a further one nothing more", () => {
  const [strict, patient] = [rules("daily", 1), rules("daily", 2)];
  let state = doneOn(strict, 1);
  for (let n = 2; n <= 60; n += 2) {
    state = edit(state, patient, n);
    expect(shown(state, n)).toBe(n === 2 ? 1 : 0);
    state = edit(state, strict, n + 1);
    expect(shown(state, n + 1)).toBe(n === 2 ? 1 : 0);
  }
});

test("further edits do not put off the first whole week that is asked for", () => {
  const patient = rules("weekly", 1);
  let state = doneOn(daily, 4);
  for (let n = 5; n <= 18; n++) {
    state = edit(state, n % 2 ? weekly : patient, n);
    state = edit(state, patient, n);
  }
  expect([17, 18, 19].map((n) => shown(state, n))).toEqual([1, 1, 0]);
});

test("a completion makes the next edit a first one again", () => {
  const [strict, patient] = [rules("daily", 0), rules("daily", 1)];
  const twice = edit(edit(doneOn(strict, 4), patient, 5), strict, 6);
  expect([6, 7].map((n) => shown(twice, n))).toEqual([1, 0]);
  const again = edit(done(twice, 6), patient, 7);
  expect(columns(again, 7).streak_alive_through).toBe(day(8));
});

test("a date that a change of zone left and came back to is an ordinary day again", () => {
  let state = doneOn(daily, 4);
  for (let n = 5; n <= 60; n++) {
    state = move(move(state, n, n + 1), n + 1, n);
    expect(shown(state, n)).toBe(n === 5 ? 1 : 0);
  }
});

test("a skipped date that lies in two open weeks gives a day to both", () => {
  const patient = thriceA(3);
  const twoOfThree = doneOn(patient, -3, -2, -1, 4, 5);
  const skipped = move(twoOfThree, 12, 13);
  expect(columns(skipped, 13).streak_alive_through).toBe(day(14));
  expect(columns(done(skipped, 13), 13).streak_alive_through).toBe(day(21));
});

test("a day that is completed later counts as if it had been done on it", () => {
  const grace1 = rules("daily", 1);
  const late = done(doneOn(grace1, 4, 5, 8), 6);
  expect(columns(late, 9)).toEqual(columns(doneOn(grace1, 4, 5, 6, 8), 9));
  expect(shown(late, 9)).toBe(4);
});

test("a chain that was broken is whole again once its missing days are completed later", () => {
  const broken = doneOn(daily, 4, 5, 8);
  expect(shown(broken, 8)).toBe(1);
  const whole = done(done(broken, 7), 6);
  expect(columns(whole, 8)).toMatchObject({ streak: 5, longest_streak: 5, streak_alive_through: day(9) });
  expect(columns(undone(whole, 6), 8)).toMatchObject({ streak: 2, longest_streak: 2 });
});

test("a day is completed later under the rules that held on it", () => {
  const edited = edit(doneOn(thrice, 4, 5), daily, 11);
  expect(columns(done(edited, 8), 12)).toMatchObject({ streak: 1, streak_alive_through: day(11) });
  expect(columns(done(edited, 11), 12)).toMatchObject({ streak: 1, streak_alive_through: day(12) });
});

const everyThird = rules("custom", 0, { every_days: 3 });
const monAndWed = rules("custom", 0, { weekdays: [1, 3] });
const weeklyWithGrace = rules("weekly", 1);

test.each([
  ["daily: always", doneOn(daily, 4), [4, 5, 6, 7, 8, 9, 10, 11, 12]],
  ["every third day, never done: always", rowOf(everyThird), [4, 5, 6, 7, 8, 9, 10, 11, 12]],
  ["every third day: from three days after the last on", doneOn(everyThird, 5), [5, 8, 9, 10, 11, 12]],
  ["weekdays: those, and a day done beside them", doneOn(monAndWed, 5), [4, 5, 6, 11]],
  ["weekly: until done, then from Monday", doneOn(weekly, 6), [6, 11, 12]],
  ["three a week with two: every day", doneOn(thrice, 4, 5), [4, 5, 6, 7, 8, 9, 10, 11, 12]],
  ["three a week with three: from Monday", doneOn(thrice, 4, 5, 6), [4, 5, 6, 11, 12]],
  ["weekly, late on Monday: done for both weeks", doneOn(weeklyWithGrace, -1, 11), [11]],
])("due is %s", (_, row, due) => {
  const days = [4, 5, 6, 7, 8, 9, 10, 11, 12];
  expect(days.filter((n) => isDueOn({ ...row, ...columns(row, 12) }, day(n)))).toEqual(due);
});
