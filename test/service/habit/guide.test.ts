import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Rules } from "../../../shared/domain/habit/schedule.ts";
import { doneOn, rules, shown } from "../../support/streak/streak-steps.ts";

const guide = await Bun.file(join(import.meta.dir, "../../../docs/guide.md")).text();
const monday = 4;
const sunday = 10;

/** The habits of the guide's table as rules. */
const habits: Record<string, (grace: number) => Rules> = {
  "every day": (grace) => rules("daily", grace),
  "Mon, Wed and Fri": (grace) => rules("custom", grace, { weekdays: [1, 3, 5] }),
  "every 2 days": (grace) => rules("custom", grace, { every_days: 2 }),
  "3 times a week": (grace) => rules("custom", grace, { times_per_week: 3 }),
};

const rows = [...guide.matchAll(/^\| (.+), (\d) grace days? \|((?: [✓–] \|){7}) (\d) \|$/gm)];

test("the guide has a table of weeks", () => {
  expect(rows.length).toBe(13);
});

test.each(rows.map(([row, habit = "", grace, week = "", streak]) => ({ row, habit, grace, week, streak })))(
  "the guide says: $row",
  ({ habit, grace, week, streak }) => {
    const habitRules = habits[habit]?.(Number(grace));
    if (!habitRules) throw new Error(`No rules for “${habit}”.`);
    const marks = week.split("|").map((mark) => mark.trim());
    const days = marks.flatMap((mark, n) => (mark === "✓" ? [monday + n] : []));
    expect(shown(doneOn(habitRules, ...days), habitRules, sunday)).toBe(Number(streak));
  },
);
