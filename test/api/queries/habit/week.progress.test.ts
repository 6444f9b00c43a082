import { expect, test } from "bun:test";
import { daysAskedFor, weekOf } from "../../../../api/queries/habit/week.ts";
import type { Rules } from "../../../../shared/domain/habit/rhythm.ts";

const rules = (frequency: Rules["frequency"], schedule: Rules["schedule"] = null): Rules => ({
  frequency,
  schedule,
  grace_days: 1,
});

test.each([
  ["daily", rules("daily"), 7],
  ["custom without a schedule", rules("custom"), 7],
  ["weekly", rules("weekly"), 1],
  ["three times a week", rules("custom", { times_per_week: 3 }), 3],
  ["Monday and Friday", rules("custom", { weekdays: [1, 5] }), 2],
  ["every day by schedule", rules("custom", { every_days: 1 }), 7],
  ["every three days", rules("custom", { every_days: 3 }), undefined],
])("a habit that is %s is asked for on so many days of a week", (_, habit, days) => {
  expect(daysAskedFor(habit)).toBe(days);
});

test("a week is Monday to Sunday, whichever of them is today", () => {
  for (const day of ["2026-05-04", "2026-05-07", "2026-05-10"])
    expect(weekOf(day)).toEqual({ monday: "2026-05-04", sunday: "2026-05-10" });
});

test("a week can lie in two years", () => {
  expect(weekOf("2027-01-01")).toEqual({ monday: "2026-12-28", sunday: "2027-01-03" });
});
