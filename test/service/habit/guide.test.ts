import { expect, test } from "bun:test";
import { join } from "node:path";
import type { HabitHistory } from "../../../shared/domain/habit/history.ts";
import type { Rules } from "../../../shared/domain/habit/rhythm.ts";
import { obeyed, rowOf } from "../../support/streak/streak-habit.ts";
import { day, done, rules, shown } from "../../support/streak/streak-steps.ts";

const docs = join(import.meta.dir, "../../../docs");
const [guide, streaks] = await Promise.all(
  ["guide.md", "streaks.md"].map((name) => Bun.file(join(docs, name)).text()),
);
const monday = 4;
const sunday = 10;

/** The habits of the guide's table as rules. */
const habits: Record<string, (grace: number) => Rules> = {
  "every day": (grace) => rules("daily", grace),
  "Mon, Wed and Fri": (grace) => rules("custom", grace, { weekdays: [1, 3, 5] }),
  "every 2 days": (grace) => rules("custom", grace, { every_days: 2 }),
  "once a week": (grace) => rules("weekly", grace),
  "3 times a week": (grace) => rules("custom", grace, { times_per_week: 3 }),
};

const rowsOf = (page = "") => [
  ...page.matchAll(/^\| (.+), (\d) grace days? \|((?: (?:[✓–PS]|P✓) \|){7}) (\d) \|$/gm),
];
const [weeks, freeWeeks] = [rowsOf(guide), rowsOf(streaks)];

test("the guide and the page on streaks have tables of weeks", () => {
  expect([weeks.length, freeWeeks.length]).toEqual([10, 12]);
});

/** Lives one day of a week; a pause is set on each of its days. */
function live(row: HabitHistory, mark: string, n: number): HabitHistory {
  const today = day(n);
  if (mark === "✓") return done(row, n);
  if (mark === "S") return obeyed(row, { kind: "skip", today, date: today });
  if (mark === "–") return row;
  const paused = obeyed(row, { kind: "pause", today, to: { paused_from: today, paused_through: today } });
  return mark === "P✓" ? done(paused, n) : paused;
}

test.each([...weeks, ...freeWeeks])("the pages say: %s", (...cells) => {
  const [, habit = "", grace, week = "", streak] = cells;
  const habitRules = habits[habit]?.(Number(grace));
  if (!habitRules) throw new Error(`No rules for “${habit}”.`);
  const marks = week.split("|").slice(0, 7);
  const row = marks.reduce((before, mark, n) => live(before, mark.trim(), monday + n), rowOf(habitRules));
  expect(shown(row, sunday)).toBe(Number(streak));
});
