import { expect, test } from "bun:test";
import fc from "fast-check";
import { addDays, dayNumber, isoWeekday } from "../../../../shared/domain/day/day.ts";
import { completed, type HabitHistory } from "../../../../shared/domain/habit/history.ts";
import type { Rules } from "../../../../shared/domain/habit/rhythm.ts";
import { rhythmOf } from "../../../../shared/domain/habit/rhythm.ts";
import { graceLeft, streakColumns } from "../../../../shared/domain/habit/streak.ts";
import { nowOf, rowOf } from "../../../support/streak/streak-habit.ts";

const start = "2026-11-16"; // a Monday
const daily = (grace_days: number): Rules => ({ frequency: "daily", schedule: null, grace_days });
const weekly: Rules = { frequency: "weekly", schedule: null, grace_days: 2 };
const mondays: Rules = { frequency: "custom", schedule: { weekdays: [1] }, grace_days: 1 };

test.each([
  ["a daily habit done today", daily(2), 0, 2],
  ["not done yet on the next day", daily(2), 1, 2],
  ["missed once", daily(2), 2, 1],
  ["missed twice", daily(2), 3, 0],
  ["a daily habit without grace", daily(0), 1, 0],
  ["a weekly habit in the week after", weekly, 7, 2],
  ["on the Sunday of the week that was not done", weekly, 13, 2],
  ["on the first day of its grace", weekly, 14, 1],
  ["on the last day of its grace", weekly, 15, 0],
  ["a habit of Mondays on a day between", mondays, 3, 1],
  ["on the Monday after a missed one", mondays, 14, 0],
])("%s", (_, rules, daysLater, left) => {
  const row = done(rowOf(rules), start);
  expect(graceLeft({ ...row, ...streakColumns(row, start) }, addDays(start, daysLater))).toBe(left);
});

const done = (row: HabitHistory, date: string): HabitHistory => ({
  ...row,
  ...completed(row, date, nowOf(row)),
});

const dayRules = fc.record({
  frequency: fc.constant("custom" as const),
  schedule: fc.oneof(
    fc.record({ every_days: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ weekdays: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }) }),
  ),
  grace_days: fc.integer({ min: 0, max: 4 }),
});

test("on each day that a streak lives, as many due days are left as it forgives, and one more", () => {
  fc.assert(
    fc.property(dayRules, fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 8 }), (rules, gaps) => {
      let row = rowOf(rules);
      let today = start;
      for (const gap of [0, ...gaps]) {
        today = addDays(today, gap);
        row = done(row, today);
      }
      const columns = streakColumns(row, today);
      const { streak_alive_through: end, next_due } = columns;
      if (end === null) return;
      for (let day = addDays(today, 1); day <= end; day = addDays(day, 1)) {
        const dueDays = daysUpTo(day, end).filter((one) => isDue(rules, one) && one >= (next_due ?? ""));
        expect([day, dueDays.length]).toEqual([day, graceLeft({ ...row, ...columns }, day) + 1]);
      }
    }),
  );
});

const daysUpTo = (from: string, to: string): string[] =>
  from > to ? [] : [from, ...daysUpTo(addDays(from, 1), to)];

function isDue(rules: Rules, date: string): boolean {
  const rhythm = rhythmOf(rules);
  return !("weekdays" in rhythm) || rhythm.weekdays.includes(isoWeekday(dayNumber(date)));
}
