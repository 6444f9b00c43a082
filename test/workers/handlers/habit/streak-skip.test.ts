import { expect, test } from "bun:test";
import { setPause } from "../../../../shared/domain/habit/pause.ts";
import { editRules, newStreak, type StreakState, view } from "../../../../shared/domain/habit/streak.ts";
import { skipDay } from "../../../../workers/handlers/habit/streak-skip.ts";
import { day, done, doneOn, rules, shown } from "../../../support/streak/streak-steps.ts";

const daily = rules("daily", 0);

function skipped(state: StreakState, n: number, today = n): StreakState {
  const next = skipDay(state, daily, day(n), day(today));
  if (typeof next === "string") throw new Error(`${day(n)} is ${next}`);
  return next;
}

test("ten years of pauses and skips leave a small state, and the streak lives", () => {
  let state = done(newStreak(), daily, 1);
  for (let n = 2; n < 3_650; n++) {
    const pause = { paused_from: day(n), paused_through: day(n) };
    state = n % 2 === 0 ? skipped(state, n) : setPause(state, daily, pause, day(n));
  }
  expect(shown(state, daily, 3_650)).toBe(1);
  expect(JSON.stringify(state).length).toBeLessThan(3_000);
});

test("a skip of a settled past does not come into the way of a new one", () => {
  const state = done(skipped(doneOn(daily, 4), 5), daily, 6);
  const later = skipped(state, 60);
  expect(view(later, daily).skipped_dates).toEqual([day(60)]);
  expect(later.free?.skips).toHaveLength(1);
});

test("a skip on the day of an edit counts as long as that edit can still be replayed", () => {
  const weekly = rules("weekly", 0);
  const daily1 = rules("daily", 1);
  const edited = editRules(doneOn(weekly, 9, 11), weekly, daily1, day(17));
  const broken = done(edited, daily1, 19, 23);
  expect(view(broken, daily1).longest_streak).toBe(2);
  const whole = skipped(broken, 17, 24);
  expect(view(whole, daily1).longest_streak).toBe(3);
  expect(view(editRules(whole, daily1, weekly, day(28)), weekly).longest_streak).toBe(3);
});
