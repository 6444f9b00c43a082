import { expect, test } from "bun:test";
import type { Rules } from "../../shared/domain/schedule.ts";
import { progressOfWeek, weekOf } from "../../shared/domain/week-progress.ts";

const rules = (frequency: Rules["frequency"], schedule: Rules["schedule"] = null): Rules => ({
  frequency,
  schedule,
  grace_days: 1,
});
/** Thursday; the week began on Monday 4 May. */
const today = "2026-05-07";
const done = ["2026-05-03", "2026-05-04", "2026-05-07", "2026-05-10", "2026-05-11"];

test.each([
  ["daily", rules("daily"), { done: 3, target: 7 }],
  ["custom without a schedule", rules("custom"), { done: 3, target: 7 }],
  ["weekly", rules("weekly"), { done: 3, target: 1 }],
  ["three times a week", rules("custom", { times_per_week: 3 }), { done: 3, target: 3 }],
  ["Monday and Friday", rules("custom", { weekdays: [1, 5] }), { done: 3, target: 2 }],
  ["every day by schedule", rules("custom", { every_days: 1 }), { done: 3, target: 7 }],
  ["every three days", rules("custom", { every_days: 3 }), undefined],
])("%s", (_, habit, progress) => {
  expect(progressOfWeek(habit, done, today)).toEqual(progress);
});

test("counts each day of Monday to Sunday once, whichever of them is today", () => {
  for (const day of ["2026-05-04", "2026-05-07", "2026-05-10"])
    expect(progressOfWeek(rules("daily"), [...done, ...done], day)?.done).toBe(3);
  expect(progressOfWeek(rules("daily"), done, "2026-05-11")).toEqual({ done: 1, target: 7 });
  expect(progressOfWeek(rules("daily"), [], today)).toEqual({ done: 0, target: 7 });
});

test("a week can lie in two years", () => {
  expect(weekOf("2027-01-01")).toEqual({ monday: "2026-12-28", sunday: "2027-01-03" });
});
