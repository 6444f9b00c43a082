import { expect, test } from "bun:test";
import { editRules, moveDay, type StreakState, view } from "../../../../shared/domain/habit/streak.ts";
import {
  movedMeanwhile,
  restoredCompletion,
  type StreakChange,
  withoutCompletionOf,
  withoutEdit,
} from "../../../../workers/handlers/habit/streak-undo.ts";
import { day, done, doneOn, rules, undone } from "../../../support/streak/streak-steps.ts";

const daily = rules("daily", 0);
const weekly = rules("weekly", 0);

const change = (before: StreakState, after: StreakState): StreakChange => ({
  before: before.recent,
  after: after.recent,
});

test("a completion is taken back for as long as its day is not settled", () => {
  const state = doneOn(daily, 4, 5, 6);
  const without = withoutCompletionOf(state, daily, day(5), day(14));
  if (typeof without === "string") throw new Error(without);
  expect(view(without, daily)).toEqual(view(doneOn(daily, 4, 6), daily));
  expect(withoutCompletionOf(state, daily, day(3), day(6))).toBe("not_completed");
  expect(withoutCompletionOf(done(state, daily, 20), daily, day(5), day(20))).toBe("settled");
});

test("a completion comes back to its place before the edits of its day", () => {
  const completed = done(editRules(doneOn(daily, 4), daily, weekly, day(5)), weekly, 5);
  const without = undone(completed, weekly, 5);
  const edit = (state: StreakState) => editRules(state, weekly, daily, day(5));
  const restore = (state: StreakState) =>
    restoredCompletion(state, daily, day(5), day(6), change(completed, without));
  const restored = restore(edit(without));
  if (typeof restored === "string") throw new Error(restored);
  expect(view(restored, daily)).toEqual(view(edit(completed), daily));
  expect(restore(restored)).toBe("already_completed");
  expect(restore(done(restored, daily, 20))).toBe("settled");
});

test("an edit is taken back without what was completed since", () => {
  const before = doneOn(daily, 4);
  const edited = editRules(before, daily, weekly, day(6));
  const state = withoutEdit(done(edited, weekly, 7), weekly, daily, day(7), change(before, edited));
  expect(view(state, daily)).toEqual(view(done(before, daily, 7), daily));
});

test("of a settled edit, the old rules count from today on, and that can be taken back as well", () => {
  const before = doneOn(daily, 4);
  const edited = editRules(before, daily, weekly, day(5));
  const later = done(edited, weekly, 25);
  const state = withoutEdit(later, weekly, daily, day(25), change(before, edited));
  expect(view(state, daily)).toEqual(view(editRules(later, weekly, daily, day(25)), daily));
  const again = withoutEdit(state, daily, weekly, day(26), change(later, state));
  expect(view(again, weekly)).toEqual(view(later, weekly));
});

test("an edit that was merged with the one before it leaves that one", () => {
  const first = editRules(doneOn(daily, 4), daily, weekly, day(6));
  const patient = rules("weekly", 2);
  const second = editRules(first, weekly, patient, day(6));
  expect(withoutEdit(second, patient, weekly, day(6), change(first, second))).toEqual(first);
});

test("a habit that comes back after its user travelled is moved once", () => {
  const state = doneOn(daily, 4);
  const [from, to] = [
    { time_zone: "Pacific/Pago_Pago", day_start_hour: 0 },
    { time_zone: "Pacific/Kiritimati", day_start_hour: 0 },
  ];
  const moved = movedMeanwhile(state, daily, { from, to }, Date.parse(`${day(5)}T12:00:00Z`));
  expect(view(moved, daily)).toEqual(view(moveDay(state, daily, day(5), day(6)), daily));
});

test("the changes of a state that an earlier release stored can be taken back", () => {
  const numbers = ({ last, ...state }: StreakState): StreakState =>
    JSON.parse(JSON.stringify(state), (key, value) => (key === "n" ? undefined : value));
  const stored = numbers(editRules(doneOn(daily, 4, 5), daily, weekly, day(5)));
  const without = undone(stored, weekly, 5, 6);
  const restored = restoredCompletion(
    done(without, weekly, 6),
    weekly,
    day(5),
    day(6),
    change(stored, without),
  );
  if (typeof restored === "string") throw new Error(restored);
  expect(view(restored, weekly)).toEqual(view(done(stored, weekly, 6), weekly));
});

/** Completes the 6th, travels back to the 5th, edits there, and lives on until the 6th is the first day that can change. */
function editedOnTheDayBefore(completed: StreakState) {
  const before = moveDay(completed, daily, day(6), day(5));
  const edited = editRules(before, daily, weekly, day(5));
  return { state: done(edited, weekly, 16), images: change(before, edited) };
}

test("an edit from a day to which its user travelled back waits until no later day can change", () => {
  const completed = done(doneOn(daily, 4, 5), daily, 6);
  const without = undone(completed, daily, 6);
  const { state, images } = editedOnTheDayBefore(without);
  const restored = restoredCompletion(state, weekly, day(6), day(16), change(completed, without));
  if (typeof restored === "string") throw new Error(restored);
  expect(view(restored, weekly)).toEqual(view(editedOnTheDayBefore(completed).state, weekly));
  const unedited = withoutEdit(state, weekly, daily, day(16), images);
  expect(view(unedited, daily)).toEqual(
    view(done(moveDay(without, daily, day(6), day(5)), daily, 16), daily),
  );
});
