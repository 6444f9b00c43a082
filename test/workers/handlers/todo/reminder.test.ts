import { expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { movedTime } from "../../../../workers/handlers/todo/reminder.ts";
import { wordsIn } from "../../../support/text-table.ts";

/**
 * The first minute of a date at which its clock shows a time, or has passed it because that minute is skipped. This
 * is a slow, plain search.
 */
function firstMinute(date: string, time: string, timeZone: string): number {
  const clock = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
  const midnight = Date.parse(`${date}T00:00:00Z`);
  for (let at = midnight - 15 * 3_600_000; ; at += 60_000)
    if (clock.format(at) >= `${date} ${time}`) return at;
}

const page = await Bun.file(join(import.meta.dir, "../../../../docs/reminders.md")).text();
const rows = Array.from(page.matchAll(/^\| (\w+\/\w+) \|.*$/gm), ([row]) =>
  row
    .split("|")
    .slice(1)
    .map((cell) => cell.trim()),
);

/** `2027-03-20`, `2027-03-20T16:00` or `none`. */
function dueIn(cell = "") {
  const [due_date = "", due_time = null] = cell.split("T");
  return { due_date: cell === "none" ? null : due_date, due_time };
}
const instantOf = (text: string) => Temporal.Instant.from(text).toString();

test("docs/reminders.md has its worked examples", () => expect(rows.length).toBeGreaterThan(9));

test.each(rows)("in %s, due %s with a reminder at %s, moved to %s", (...cells) => {
  const [zone = "", due, reminder = "", dueThen, reminderThen = "", rings = ""] = cells;
  const isInstant = reminder.endsWith("Z");
  const at = isInstant ? reminder : Temporal.PlainDateTime.from(reminder).toZonedDateTime(zone).toInstant();
  const stored = { remind_at: instantOf(String(at)), wall_time: isInstant ? null : reminder };
  const moved = movedTime(stored, { from: dueIn(due), to: dueIn(dueThen), recurs: true }, zone);
  expect(moved && instantOf(moved.remind_at)).toBe(instantOf(rings));
  expect(moved?.wall_time).toBe(Temporal.PlainDateTime.from(reminderThen).toString());
});

test("an instant of a todo that does not recur keeps its wall time of the day and stays an instant", () => {
  const stored = { remind_at: "2027-03-27T08:00:00.5Z", wall_time: null };
  const move = { from: dueIn("2027-03-27"), to: dueIn("2027-03-28"), recurs: false };
  expect(movedTime(stored, move, "Europe/Berlin")).toEqual({
    remind_at: "2027-03-28T07:00:00.500Z",
    wall_time: null,
  });
});

test("an instant in the second of two equal hours rings at it, and at the first of them on other days", () => {
  const stored = { remind_at: "2027-10-31T01:30:00Z", wall_time: null };
  const day = dueIn("2027-10-31");
  const same = movedTime(stored, { from: day, to: day, recurs: true }, "Europe/Berlin");
  expect(same).toEqual({ ...stored, wall_time: "2027-10-31T02:30:00" });
});

test("nothing moves before 1970 or after 9998", () => {
  const stored = { remind_at: "2027-10-31T01:30:00Z", wall_time: null };
  for (const to of ["0001-01-01", "1969-12-30", "9999-01-03", "9999-12-31"])
    expect(
      movedTime(stored, { from: dueIn("2027-10-31"), to: dueIn(to), recurs: true }, "Europe/Berlin"),
    ).toBeUndefined();
});

/** The nth date of the calendar, counted day by day. */
function dateAfterDays(date: string, days: number): string {
  const at = new Date(`${date}T12:00:00Z`);
  for (let left = Math.abs(days); left > 0; left--) at.setUTCDate(at.getUTCDate() + Math.sign(days));
  return at.toISOString().slice(0, 10);
}

const zone = fc.constantFrom(
  ...wordsIn("UTC Europe/Berlin America/New_York Australia/Lord_Howe Asia/Kathmandu"),
);
const distance = fc.integer({ min: -40 * 1_440, max: 40 * 1_440 });
const minute = fc.integer({ min: 0, max: 1_439 });
const due = fc.tuple(fc.integer({ min: 0, max: 800 }), fc.option(minute, { freq: 2 }));

/** The date and the clock so many minutes after the midnight that begins 1 June 2026. */
const wallAt = (minutes: number) =>
  [
    dateAfterDays("2026-06-01", Math.floor(minutes / 1_440)),
    new Date(minutes * 60_000).toISOString().slice(11, 16),
  ] as const;

test("after any moves it rings on the first minute at its distance from the last due date or due time", () => {
  fc.assert(
    fc.property(zone, distance, fc.array(due, { minLength: 2, maxLength: 5 }), (timeZone, start, life) => {
      const ringsAt = (minutes: number) => {
        const [date, time] = wallAt(minutes);
        const remind_at = new Date(firstMinute(date, time, timeZone)).toISOString();
        return { remind_at, wall_time: `${date}T${time}:00` };
      };
      const dueOf = ([day, at]: (typeof life)[number]) => ({
        due_date: wallAt(day * 1_440)[0],
        due_time: at === null ? null : wallAt(at)[1],
      });
      let rings = (life[0]?.[0] ?? 0) * 1_440 + start;
      for (const [index, to] of life.slice(1).entries()) {
        const from = life[index] ?? to;
        const move = { from: dueOf(from), to: dueOf(to), recurs: true };
        const moved = movedTime(ringsAt(rings), move, timeZone);
        rings += (to[0] - from[0]) * 1_440 + (from[1] !== null && to[1] !== null ? to[1] - from[1] : 0);
        expect(moved).toEqual(ringsAt(rings));
      }
    }),
    { numRuns: 30 },
  );
});
