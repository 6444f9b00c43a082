import { expect, test } from "bun:test";
import {
  complete,
  editRules,
  firstChangeableDay,
  isDueOn,
  moveDay,
  newStreak,
  type StreakState,
  undo,
  view,
} from "../../../../shared/domain/habit/streak.ts";
import { day, done, doneOn, rules, shown, undone } from "../../../support/streak/streak-steps.ts";

const daily = rules("daily", 0);
const weekly = rules("weekly", 0);
const thriceA = (grace: number) => rules("custom", grace, { times_per_week: 3 });
const thrice = thriceA(0);
const patient5Weekdays = rules("custom", 5, { weekdays: [1, 2, 3, 4, 5, 6, 7] });

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

test("the first edit after a completion forgives what was missed, a further one nothing more", () => {
  const [strict, patient] = [rules("daily", 1), rules("daily", 2)];
  let state = doneOn(strict, 1);
  for (let n = 2; n <= 60; n += 2) {
    state = editRules(state, strict, patient, day(n));
    expect(shown(state, patient, n)).toBe(n === 2 ? 1 : 0);
    state = editRules(state, patient, strict, day(n + 1));
    expect(shown(state, strict, n + 1)).toBe(n === 2 ? 1 : 0);
  }
});

test("a further edit keeps what was missed since the first, but does not break the streak itself", () => {
  const [patient, strict] = [rules("daily", 5), rules("daily", 1)];
  const forgiven = editRules(doneOn(patient, 1), patient, patient5Weekdays, day(4));
  const edited = editRules(forgiven, patient5Weekdays, strict, day(8));
  expect([8, 9].map((n) => shown(edited, strict, n))).toEqual([1, 0]);
  expect(shown(done(edited, strict, 8), strict, 10)).toBe(2);
});

test("further edits do not put off the first whole week that is asked for", () => {
  const patient = rules("weekly", 1);
  let state = doneOn(daily, 4);
  for (let n = 5; n <= 18; n++) {
    state = editRules(state, n === 5 ? daily : patient, n % 2 ? weekly : patient, day(n));
    state = editRules(state, n % 2 ? weekly : patient, patient, day(n));
  }
  expect([17, 18, 19].map((n) => shown(state, patient, n))).toEqual([1, 1, 0]);
});

test("a completion makes the next edit a first one again", () => {
  const [strict, patient] = [rules("daily", 0), rules("daily", 1)];
  const twice = editRules(editRules(doneOn(strict, 4), strict, patient, day(5)), patient, strict, day(6));
  expect([6, 7].map((n) => shown(twice, strict, n))).toEqual([1, 0]);
  const again = editRules(done(twice, strict, 6), strict, patient, day(7));
  expect(view(again, patient).alive_through).toBe(day(8));
});

test("a date that a change of zone left and came back to is an ordinary day again", () => {
  let state = doneOn(daily, 4);
  for (let n = 5; n <= 60; n++) {
    state = moveDay(moveDay(state, daily, day(n), day(n + 1)), daily, day(n + 1), day(n));
    expect(shown(state, daily, n)).toBe(n === 5 ? 1 : 0);
  }
});

test("it stays neutral when a later change of zone skips it again", () => {
  const there = moveDay(doneOn(daily, 4), daily, day(5), day(6));
  const thereAgain = moveDay(moveDay(there, daily, day(6), day(5)), daily, day(5), day(6));
  expect([6, 7].map((n) => shown(thereAgain, daily, n))).toEqual([1, 0]);
});

test("what was done on a later day counts on until the skipped day that came again has passed undone", () => {
  const ahead = done(moveDay(doneOn(daily, 4), daily, day(5), day(6)), daily, 6);
  const back = moveDay(ahead, daily, day(6), day(5));
  expect(shown(back, daily, 5)).toBe(2);
  expect(shown(done(back, daily, 5), daily, 6)).toBe(3);
  expect(shown(done(back, daily, 7), daily, 7)).toBe(2);
});

test("a skipped date that lies in two open weeks gives a day to both", () => {
  const patient = thriceA(3);
  const twoOfThree = doneOn(patient, -3, -2, -1, 4, 5);
  const skipped = moveDay(twoOfThree, patient, day(12), day(13));
  expect(view(skipped, patient).alive_through).toBe(day(14));
  expect(view(done(skipped, patient, 13), patient).alive_through).toBe(day(21));
});

test("a day that is completed later counts as if it had been done on it", () => {
  const grace1 = rules("daily", 1);
  const late = done(doneOn(grace1, 4, 5, 8), grace1, 6, 9);
  expect(view(late, grace1)).toEqual(view(doneOn(grace1, 4, 5, 6, 8), grace1));
  expect(shown(late, grace1, 9)).toBe(4);
});

test("a chain that was broken is whole again once its missing days are completed later", () => {
  const broken = doneOn(daily, 4, 5, 8);
  expect(shown(broken, daily, 8)).toBe(1);
  const whole = done(done(broken, daily, 7, 8), daily, 6, 8);
  expect(view(whole, daily)).toMatchObject({ streak_count: 5, longest_streak: 5, alive_through: day(9) });
  expect(view(undone(whole, daily, 6, 13), daily)).toMatchObject({ streak_count: 2, longest_streak: 2 });
});

test("a day is completed later under the rules that held on it", () => {
  const edited = editRules(doneOn(thrice, 4, 5), thrice, daily, day(11));
  expect(view(done(edited, daily, 8, 12), daily)).toMatchObject({ streak_count: 1, alive_through: day(11) });
  expect(view(done(edited, daily, 11, 12), daily)).toMatchObject({ streak_count: 1, alive_through: day(12) });
});

test("every day of the last week can be completed later, also after a change of zone back", () => {
  let state = newStreak();
  for (let n = 1; n <= 40; n++) state = done(state, daily, n);
  const moved = moveDay(state, daily, day(40), day(38));
  expect(firstChangeableDay(moved) <= day(31)).toBe(true);
});

test("a state that an earlier release stored can be gone on with", () => {
  const { edited, misses, skipped, ...old } = doneOn(daily, 4, 5, 20).settled;
  const stored = { settled: old, recent: doneOn(daily, 20).recent } as unknown as StreakState;
  expect(firstChangeableDay(stored)).toBe(day(6));
  const next = done(moveDay(stored, daily, day(20), day(21)), daily, 21);
  expect(shown(next, daily, 22)).toBe(2);
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
  expect(JSON.stringify(state).length).toBeLessThan(700);
  const [today, tomorrow] = [day(3650), day(3651)];
  for (let i = 0; i < 10_000; i++) {
    const [before, after] = i % 2 ? [weekly, daily] : [daily, weekly];
    state = editRules(state, before, after, today);
    const next = i % 4 < 2 ? complete(state, after, today) : undo(state, after, today);
    if (typeof next !== "string") state = next;
    state = moveDay(moveDay(state, after, today, tomorrow), after, tomorrow, today);
  }
  expect(JSON.stringify(state).length).toBeLessThan(2_000);
});
