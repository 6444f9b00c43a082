import { expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { addDays, dayNumber } from "../../../../shared/domain/day/day.ts";
import { completed, type HabitHistory } from "../../../../shared/domain/habit/history.ts";
import type { Rules } from "../../../../shared/domain/habit/rhythm.ts";
import { type StreakColumns, streakColumns } from "../../../../shared/domain/habit/streak.ts";
import {
  dueRing,
  nextReminder,
  type RemindingHabit,
  ringsAfterChange,
} from "../../../../workers/handlers/habit/next-ring.ts";
import { nowOf, obeyed, rowOf } from "../../../support/streak/streak-habit.ts";
import type { Command } from "../../../support/streak/streak-history.ts";
import { isDue } from "../../../support/streak/streak-spec.ts";
import { wordsIn } from "../../../support/text-table.ts";

/** A habit with its user as a person would describe them: the rule of reminders, slow and obvious. */
type Life = {
  timeZone: string;
  dayStartHour: number;
  rules: Rules;
  remindAt: string | null;
  done: Set<string>;
  lastRung: string;
};

const quarterMs = 15 * 60_000;
/** No zone repeats more than this when its clock goes back. */
const longestRepeatMs = 3 * 3_600_000;

const wallClock = (at: number, timeZone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).toPlainDateTime().toString();

/** The user's day: the wall-clock date this many hours ago. */
function dayAt({ timeZone, dayStartHour }: Life, at: number): string {
  const now = wallClock(at, timeZone);
  return Number(now.slice(11, 13)) < dayStartHour ? addDays(now.slice(0, 10), -1) : now.slice(0, 10);
}

/** @returns the day for which the habit rings at a quarter of an hour, if it rings */
function ringsAt(life: Life, at: number): string | undefined {
  const { timeZone, dayStartHour, rules, remindAt, lastRung, done } = life;
  if (remindAt === null) return undefined;
  const shownBefore = wallClock(at - quarterMs, timeZone);
  const shown = wallClock(at, timeZone);
  for (const date of new Set([shownBefore.slice(0, 10), shown.slice(0, 10)])) {
    const wanted = `${date}T${remindAt}:00`;
    if (shownBefore >= wanted || shown < wanted || wasShown(wanted, at, timeZone)) continue;
    const day = Number(remindAt.slice(0, 2)) < dayStartHour ? addDays(date, -1) : date;
    if (day > lastRung && !done.has(day) && isDue(rules, [...done].map(dayNumber), dayNumber(day)))
      return day;
  }
  return undefined;
}

/** True if the clock has shown that time or a later one before, because it went back. */
function wasShown(wanted: string, at: number, timeZone: string): boolean {
  for (let before = at - quarterMs; before >= at - longestRepeatMs; before -= quarterMs)
    if (wallClock(before, timeZone) >= wanted) return true;
  return false;
}

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
    for (const day of days) lived = { ...lived, ...completed(lived, day, nowOf(lived)) };
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

/** Zones with all sorts of DST: at midnight, before it, by half an hour, in either half of the year, none. */
const zones = wordsIn(`
  Europe/Berlin America/New_York America/Nuuk America/Santiago Africa/Cairo Australia/Lord_Howe Pacific/Auckland
  Asia/Kathmandu`);

/** Days before clock changes of these zones. */
const beginnings = ["2027-03-12", "2027-03-26", "2027-04-01", "2027-09-02", "2027-10-27", "2027-11-04"];

const rules: fc.Arbitrary<Rules> = fc
  .oneof(
    fc.constantFrom("daily" as const, "weekly" as const).map((frequency) => ({ frequency, schedule: null })),
    fc
      .oneof(
        fc.record({ every_days: fc.integer({ min: 1, max: 5 }) }),
        fc.record({ times_per_week: fc.integer({ min: 1, max: 4 }) }),
        fc.record({
          weekdays: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 }),
        }),
      )
      .map((schedule) => ({ frequency: "custom" as const, schedule })),
  )
  .map((rhythm) => ({ ...rhythm, grace_days: 1 }));

const time = fc
  .record({ hour: fc.integer({ min: 0, max: 23 }), quarter: fc.constantFrom("00", "15", "30", "45") })
  .map(({ hour, quarter }) => `${String(hour).padStart(2, "0")}:${quarter}`);
/** The hours in which clocks change. */
const oddTime = fc.constantFrom("00:00", "00:30", "01:30", "02:00", "02:15", "02:30", "03:00", "23:30");

const settings = fc.record({
  timeZone: fc.constantFrom(...zones),
  dayStartHour: fc.constantFrom(0, 0, 3, 6),
});

const act = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("complete" as const), back: fc.constantFrom(0, 0, 0, 1, 5) }),
  },
  fc.record({ do: fc.constant("undo" as const), back: fc.constantFrom(0, 1) }),
  fc.record({ do: fc.constant("move" as const), settings }),
  fc.record({ do: fc.constant("edit" as const), rules }),
  fc.record({ do: fc.constant("remind" as const), at: fc.option(fc.oneof(time, oddTime)) }),
);
type Act = typeof act extends fc.Arbitrary<infer One> ? One : never;

const quarters = 14 * 96;

const lives = fc.record({
  beginning: fc.constantFrom(...beginnings),
  settings,
  rules,
  remindAt: fc.oneof(time, oddTime),
  acts: fc.array(fc.record({ at: fc.integer({ min: 0, max: quarters - 1 }), act }), { maxLength: 14 }),
});

type Row = RemindingHabit & HabitHistory & StreakColumns & { timeZone: string; dayStartHour: number };

function obey(row: Row, life: Life, act: Act, now: number): Row {
  const today = dayAt(life, now);
  const after = (command: Command, day = today): Row => {
    const changed = { ...row, ...obeyed(row, command) };
    return { ...changed, ...streakColumns(changed, day) };
  };
  if (act.do === "complete" || act.do === "undo") {
    const date = addDays(today, -act.back);
    if (act.do === "complete") life.done.add(date);
    else life.done.delete(date);
    return after({ kind: act.do, today, date });
  }
  if (act.do === "remind") {
    if (act.at !== life.remindAt) life.lastRung = "";
    life.remindAt = act.at;
    return { ...row, remind_at: act.at };
  }
  if (act.do === "edit") {
    life.rules = act.rules;
    return after({ kind: "edit", today, to: act.rules });
  }
  Object.assign(life, act.settings);
  const to = dayAt(life, now);
  return { ...after({ kind: "move", today, to }, to), ...act.settings };
}

test("a habit rings when its time is shown on a day on which it is due and not done, and at no other time", () => {
  fc.assert(
    fc.property(lives, ({ beginning, settings, rules, remindAt, acts }) => {
      const start = Date.parse(`${beginning}T00:00Z`);
      const life: Life = { ...settings, rules, remindAt, done: new Set(), lastRung: "" };
      const habit = rowOf(rules);
      let row: Row = { ...settings, ...habit, ...streakColumns(habit, beginning), remind_at: remindAt };
      row = { ...row, ...ringsAfterChange(row, undefined, row, start + 1) };
      const [rung, expected]: [string[], string[]] = [[], []];
      for (let quarter = 1; quarter < quarters; quarter++) {
        const now = start + quarter * quarterMs;
        const day = ringsAt(life, now);
        if (day !== undefined) {
          expected.push(`${new Date(now).toISOString()} for ${day}`);
          life.lastRung = day;
        }
        while (row.rings_at != null && Date.parse(row.rings_at) <= now) {
          const ring = dueRing(row, row, now);
          if (ring.day !== undefined) rung.push(`${row.rings_at} for ${ring.day}`);
          row = { ...row, rings_at: ring.rings_at, rang_on: ring.day ?? row.rang_on };
        }
        for (const { act } of acts.filter(({ at }) => at === quarter)) {
          const changed = obey(row, life, act, now + 420_000);
          row = { ...changed, ...ringsAfterChange(changed, row, changed, now + 420_000) };
        }
      }
      expect(rung).toEqual(expected);
    }),
    { numRuns: 300, includeErrorInReport: true },
  );
});
