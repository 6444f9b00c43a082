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

const dateIn = (cell: string | undefined) => (cell === "none" ? null : (cell ?? ""));
const instantOf = (text: string) => Temporal.Instant.from(text).toString();

test("docs/reminders.md has its worked examples", () => expect(rows.length).toBeGreaterThan(9));

test.each(rows)("in %s, due %s with a reminder at %s, moved to %s", (...cells) => {
  const [zone = "", due, reminder = "", dueThen, reminderThen = "", rings = ""] = cells;
  const isInstant = reminder.endsWith("Z");
  const at = isInstant ? reminder : Temporal.PlainDateTime.from(reminder).toZonedDateTime(zone).toInstant();
  const stored = { remind_at: instantOf(String(at)), wall_time: isInstant ? null : reminder };
  const dates = { from: dateIn(due), to: dateIn(dueThen), recurs: true };
  const moved = movedTime(stored, dates, zone);
  expect(moved && instantOf(moved.remind_at)).toBe(instantOf(rings));
  expect(moved?.wall_time).toBe(Temporal.PlainDateTime.from(reminderThen).toString());
});

test("an instant of a todo that does not recur keeps its wall time of the day and stays an instant", () => {
  const stored = { remind_at: "2027-03-27T08:00:00.5Z", wall_time: null };
  const dates = { from: "2027-03-27", to: "2027-03-28", recurs: false };
  expect(movedTime(stored, dates, "Europe/Berlin")).toEqual({
    remind_at: "2027-03-28T07:00:00.500Z",
    wall_time: null,
  });
});

test("an instant in the second of two equal hours rings at it, and at the first of them on other days", () => {
  const stored = { remind_at: "2027-10-31T01:30:00Z", wall_time: null };
  const dates = { from: "2027-10-31", to: "2027-10-31", recurs: true };
  const same = movedTime(stored, dates, "Europe/Berlin");
  expect(same).toEqual({ ...stored, wall_time: "2027-10-31T02:30:00" });
});

test("nothing moves before 1970 or after 9998", () => {
  const stored = { remind_at: "2027-10-31T01:30:00Z", wall_time: null };
  for (const to of ["0001-01-01", "1969-12-30", "9999-01-03", "9999-12-31"])
    expect(movedTime(stored, { from: "2027-10-31", to, recurs: true }, "Europe/Berlin")).toBeUndefined();
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
const day = fc.integer({ min: 0, max: 800 });
const distance = fc.integer({ min: -40, max: 40 });
const minute = fc.integer({ min: 0, max: 1_439 });

test("after any moves it rings on the first such minute at its distance from the last due date", () => {
  fc.assert(
    fc.property(zone, day, distance, minute, fc.array(day, { minLength: 1, maxLength: 4 }), (...life) => {
      const [timeZone, first, days, minutes, moves] = life;
      const due = (number: number) => dateAfterDays("2026-06-01", number);
      const time = new Date(minutes * 60_000).toISOString().slice(11, 16);
      const ringsOn = (number: number) => ({
        remind_at: new Date(firstMinute(dateAfterDays(due(number), days), time, timeZone)).toISOString(),
        wall_time: `${dateAfterDays(due(number), days)}T${time}:00`,
      });
      let reminder = ringsOn(first);
      let from = first;
      for (const to of moves) {
        const dates = { from: due(from), to: due(to), recurs: true };
        const moved = movedTime(reminder, dates, timeZone);
        expect(moved).toEqual(ringsOn(to));
        reminder = ringsOn(to);
        from = to;
      }
    }),
    { numRuns: 30 },
  );
});
