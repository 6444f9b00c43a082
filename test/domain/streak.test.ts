import { expect, test } from "bun:test";
import {
  complete,
  editRules,
  isDueOn,
  moveDay,
  newStreak,
  type StreakState,
  undo,
  view,
} from "../../shared/domain/streak.ts";
import { day, done, doneOn, rules, shown, undone } from "./streak-steps.ts";

const daily = rules("daily", 0);
const weekly = rules("weekly", 0);
const thrice = rules("custom", 0, { times_per_week: 3 });

test("a second completion on the same day is refused, and so is an undo of nothing", () => {
  const state = doneOn(daily, 4);
  expect(complete(state, daily, day(4))).toBe("already_completed");
  expect(undo(state, daily, day(5))).toBe("not_completed");
});

test("a second completion in a satisfied week adds nothing", () => {
  expect(shown(doneOn(weekly, 4, 5, 6), weekly, 6)).toBe(1);
});

test("an undo after an edit leaves the edit and no trace of the completion", () => {
  const completedThenEdited = editRules(doneOn(daily, 4, 5), daily, weekly, day(5));
  const state = undone(completedThenEdited, weekly, 5);
  expect(view(state, weekly)).toEqual(view(editRules(doneOn(daily, 4), daily, weekly, day(5)), weekly));
  expect(view(state, weekly).longest_streak).toBe(1);
});

test("a broken streak that an undo brings back lives as long as it would have", () => {
  const restarted = doneOn(daily, 4, 5, 7);
  expect(shown(restarted, daily, 7)).toBe(1);
  expect(view(undone(restarted, daily, 7), daily)).toMatchObject({ streak_count: 2, alive_through: day(6) });
});

test("a time-zone change that skips a day breaks nothing, and only that day is forgiven", () => {
  const moved = moveDay(doneOn(daily, 4), daily, day(5), day(6));
  expect([6, 7].map((n) => shown(moved, daily, n))).toEqual([1, 0]);
});

test("a time-zone change back onto a completed day leaves it completed", () => {
  const moved = moveDay(doneOn(daily, 4, 5), daily, day(5), day(4));
  expect(complete(moved, daily, day(4))).toBe("already_completed");
  expect(shown(moved, daily, 4)).toBe(2);
});

test("the day before a completed one can still be completed after a time-zone change back", () => {
  const moved = moveDay(doneOn(daily, 4, 6), daily, day(6), day(5));
  expect(shown(moved, daily, 5)).toBe(1);
  const filled = done(moved, daily, 5);
  expect(shown(filled, daily, 5)).toBe(3);
  expect(shown(undone(filled, daily, 5), daily, 6)).toBe(1);
});

test("week schedules demand whole weeks: the week of an edit can be won but not lost", () => {
  const edited = editRules(doneOn(daily, 4, 5, 6), daily, thrice, day(7));
  expect([10, 17, 18].map((n) => shown(edited, thrice, n))).toEqual([3, 3, 0]);
  expect(shown(done(edited, thrice, 7), thrice, 7)).toBe(4);
});

test("rules that demand the same forgive nothing", () => {
  const custom = rules("custom", 0);
  expect(shown(editRules(doneOn(daily, 4), daily, custom, day(5)), custom, 6)).toBe(0);
});

test("an edit back and forth on one day neither breaks nor revives", () => {
  const patient = rules("daily", 5);
  const edit = (state: StreakState, on: number) =>
    editRules(editRules(state, daily, patient, day(on)), patient, daily, day(on));
  expect(shown(edit(doneOn(daily, 4), 5), daily, 5)).toBe(1);
  expect(shown(edit(doneOn(daily, 4), 6), daily, 6)).toBe(0);
});

const everyThird = rules("custom", 0, { every_days: 3 });
const monAndWed = rules("custom", 0, { weekdays: [1, 3] });
const weeklyWithGrace = rules("weekly", 1);

test.each([
  ["daily: always", daily, doneOn(daily, 4), [4, 5, 6, 7, 8, 9, 10, 11, 12]],
  ["every third day, never done: always", everyThird, newStreak(), [4, 5, 6, 7, 8, 9, 10, 11, 12]],
  [
    "every third day: from three days after the last on",
    everyThird,
    doneOn(everyThird, 5),
    [5, 8, 9, 10, 11, 12],
  ],
  ["weekdays: those, and a day done beside them", monAndWed, doneOn(monAndWed, 5), [4, 5, 6, 11]],
  ["weekly: until done, then from Monday", weekly, doneOn(weekly, 6), [6, 11, 12]],
  ["three a week with two: every day", thrice, doneOn(thrice, 4, 5), [4, 5, 6, 7, 8, 9, 10, 11, 12]],
  ["three a week with three: from Monday", thrice, doneOn(thrice, 4, 5, 6), [4, 5, 6, 11, 12]],
  ["weekly, late on Monday: done for both weeks", weeklyWithGrace, doneOn(weeklyWithGrace, -1, 11), [11]],
])("due is %s", (_what, rules, state, due) => {
  const days = [4, 5, 6, 7, 8, 9, 10, 11, 12];
  expect(days.filter((n) => isDueOn(state, rules, day(n)))).toEqual(due);
});

test("ten years of days and ten thousand edits in one leave a small state", () => {
  let state = newStreak();
  for (let n = 0; n < 3650; n++) state = done(state, daily, n);
  expect(JSON.stringify(state).length).toBeLessThan(400);
  const [today, tomorrow] = [day(3650), day(3651)];
  for (let i = 0; i < 10_000; i++) {
    const [before, after] = i % 2 ? [weekly, daily] : [daily, weekly];
    state = editRules(state, before, after, today);
    const next = i % 4 < 2 ? complete(state, after, today) : undo(state, after, today);
    if (typeof next !== "string") state = next;
    state = moveDay(moveDay(state, after, today, tomorrow), after, tomorrow, today);
  }
  expect(JSON.stringify(state).length).toBeLessThan(1_000);
});
