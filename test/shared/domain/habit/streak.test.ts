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

test("a second completion in a satisfied week adds nothing", () => {
  expect(shown(doneOn(weekly, 4, 5, 6), 6)).toBe(1);
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

test("a time-zone change that skips a day breaks nothing, and only that day is forgiven", () => {
  const moved = move(doneOn(daily, 4), 5, 6);
  expect([6, 7].map((n) => shown(moved, n))).toEqual([1, 0]);
});

test("a time-zone change back onto a completed day leaves it completed", () => {
  const moved = move(doneOn(daily, 4, 5), 5, 4);
  expect(isDoneOn(moved, day(4))).toBe(true);
  expect(shown(moved, 4)).toBe(2);
});

test("the day before a completed one can still be completed after a time-zone change back", () => {
  const moved = move(doneOn(daily, 4, 6), 6, 5);
  expect(shown(moved, 5)).toBe(1);
  const filled = done(moved, 5);
  expect(shown(filled, 5)).toBe(3);
  expect(shown(undone(filled, 5), 6)).toBe(1);
});

test("week schedules demand whole weeks: the week of an edit can be won but not lost", () => {
  const edited = edit(doneOn(daily, 4, 5, 6), thrice, 7);
  expect([10, 17, 18].map((n) => shown(edited, n))).toEqual([3, 3, 0]);
  expect(shown(done(edited, 7), 7)).toBe(4);
});

test("rules that demand the same forgive nothing", () => {
  const custom = rules("custom", 0);
  expect(shown(edit(doneOn(daily, 4), custom, 5), 6)).toBe(0);
});

test("an edit back and forth on one day neither breaks nor revives", () => {
  const patient = rules("daily", 5);
  const editedOn = (n: number) => edit(edit(doneOn(daily, 4), patient, n), daily, n);
  expect([5, 6].map((n) => shown(editedOn(n), n))).toEqual([1, 0]);
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

test("a further edit keeps what was missed since the first, but does not break the streak itself", () => {
  const [patient, strict] = [rules("daily", 5), rules("daily", 1)];
  const forgiven = edit(doneOn(patient, 1), patient5Weekdays, 4);
  const edited = edit(forgiven, strict, 8);
  expect([8, 9].map((n) => shown(edited, n))).toEqual([1, 0]);
  expect(shown(done(edited, 8), 10)).toBe(2);
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

test("it stays neutral when a later change of zone skips it again", () => {
  const there = move(doneOn(daily, 4), 5, 6);
  const thereAgain = move(move(there, 6, 5), 5, 6);
  expect([6, 7].map((n) => shown(thereAgain, n))).toEqual([1, 0]);
});

test("what was done on a later day counts on until the skipped day that came again has passed undone", () => {
  const ahead = done(move(doneOn(daily, 4), 5, 6), 6);
  const back = move(ahead, 6, 5);
  expect(shown(back, 5)).toBe(2);
  expect(shown(done(back, 5), 6)).toBe(3);
  expect(shown(done(back, 7), 7)).toBe(2);
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
