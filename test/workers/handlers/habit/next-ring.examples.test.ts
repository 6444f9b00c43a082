import { expect, test } from "bun:test";
import { join } from "node:path";
import { completed } from "../../../../shared/domain/habit/history.ts";
import type { Rules } from "../../../../shared/domain/habit/schedule.ts";
import { streakColumns } from "../../../../shared/domain/habit/streak.ts";
import { nextReminder } from "../../../../workers/handlers/habit/next-ring.ts";
import { rowOf } from "../../../support/streak/streak-habit.ts";

const page = await Bun.file(join(import.meta.dir, "../../../../docs/reminders.md")).text();
const rows = [...page.matchAll(/^\| `(daily|weekly|\{.*\})`.*?\|(.*)\|(.*)\|(.*)\|(.*)\|(.*)\|$/gm)].map(
  (row) => row.slice(1).map((cell) => cell.trim()),
);
const timeZone = "Europe/Berlin";

test("docs/reminders.md has examples of every kind of schedule", () => {
  const kinds = rows.map(([due = ""]) => /\w+/.exec(due)?.[0]);
  expect(new Set(kinds)).toEqual(new Set(["daily", "weekly", "times_per_week", "weekdays", "every_days"]));
});

test.each(rows)(
  "a habit due %s that reminds at %s with start of day %s, done on %s, rings after %s at %s",
  (...row) => {
    const [due = "", remind_at = "", start = "", done = "", after = "", expected = ""] = row;
    const rules = rulesOf(due);
    const days = done.split(", ").filter(Boolean);
    let lived = rowOf(rules);
    for (const day of days) lived = { ...lived, ...completed(lived, day) };
    const habit = { ...lived, ...streakColumns(lived, days.at(-1) ?? "2026-01-01"), remind_at };
    const settings = { timeZone, dayStartHour: Number(start) };
    const next = nextReminder(habit, settings, instantOf(after));
    expect(next?.at).toBe(instantOf(expected));
  },
);

function rulesOf(due: string): Rules {
  if (due === "daily" || due === "weekly") return { frequency: due, schedule: null, grace_days: 1 };
  return { frequency: "custom", schedule: JSON.parse(due), grace_days: 1 };
}

function instantOf(text: string): number {
  const iso = text.replace(" ", "T");
  if (iso.includes("+")) return Temporal.Instant.from(iso).epochMilliseconds;
  return Temporal.PlainDateTime.from(iso).toZonedDateTime(timeZone).epochMilliseconds;
}
