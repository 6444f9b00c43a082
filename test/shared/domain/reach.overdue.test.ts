import { expect, test } from "bun:test";
import fc from "fast-check";
import { lastMinute, localDay, localTime, resolveLocalTime } from "../../../shared/domain/day/day.ts";
import { isOverdue } from "../../../shared/domain/reach.ts";

const clockAt = (instant: string, timeZone: string, dayStartHour = 0) => {
  const now = Date.parse(instant);
  return { date: localDay(now, timeZone, dayStartHour), lastMinute: lastMinute(now, timeZone) };
};
const due = (due_date: string | null, due_time: string | null = null) => ({
  ...{ is_completed: false, due_date, due_time },
});

test.each([
  ["Europe/Berlin", "2026-12-01 14:30", "2026-12-01T13:29:59.999Z", "2026-12-01T13:30:00Z"],
  ["UTC", "2026-12-01 00:00", "2026-11-30T23:59:59Z", "2026-12-01T00:00:00Z"],
  // The clock goes from 02:00 to 03:00: a time between them comes with 03:00.
  ["Europe/Berlin", "2026-03-29 02:30", "2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z"],
  // The clock goes from 03:00 back to 02:00: the first 02:30 counts, and 03:00 comes once.
  ["Europe/Berlin", "2026-10-25 02:30", "2026-10-25T00:29:59Z", "2026-10-25T00:30:00Z"],
  ["Europe/Berlin", "2026-10-25 03:00", "2026-10-25T01:59:59Z", "2026-10-25T02:00:00Z"],
] as const)("in %s a todo due %s is not overdue at %s, and is at %s", (zone, written, before, from) => {
  const todo = due(written.slice(0, 10), written.slice(11));
  expect(isOverdue(todo, clockAt(before, zone))).toBe(false);
  expect(isOverdue(todo, clockAt(from, zone))).toBe(true);
  expect(isOverdue({ ...todo, is_completed: true }, clockAt(from, zone))).toBe(false);
});

test("without a time it is overdue on the user's next day, and without a date never", () => {
  const night = clockAt("2026-12-02T02:00:00Z", "UTC", 4);
  expect(isOverdue(due("2026-12-01"), night)).toBe(false);
  expect(isOverdue(due("2026-12-01", "23:00"), night)).toBe(true);
  expect(isOverdue(due("2026-12-02", "01:00"), night)).toBe(true);
  expect(isOverdue(due("2026-12-01"), clockAt("2026-12-02T04:00:00Z", "UTC", 4))).toBe(true);
  expect(isOverdue(due(null), night)).toBe(false);
});

test("a due time comes when a reminder at that time would ring, in any zone and at any change of its clock", () => {
  const zone = fc.constantFrom(
    ...["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/St_Johns", "Pacific/Apia"],
    ...["America/Havana", "Africa/Casablanca", "Asia/Tehran", "America/Sao_Paulo", "Antarctica/Troll", "UTC"],
  );
  const minutes = fc.integer({ min: Date.UTC(2000) / 60_000, max: Date.UTC(2040) / 60_000 });
  fc.assert(
    fc.property(
      zone,
      minutes,
      fc.boolean(),
      fc.integer({ min: -180, max: 180 }),
      (timeZone, at, isNear, distance) => {
        const some = Temporal.Instant.fromEpochMilliseconds(at * 60_000).toZonedDateTimeISO(timeZone);
        const change = isNear ? some.getTimeZoneTransition("next") : null;
        const middle = (change ?? some).epochMilliseconds;
        const wall = localTime(middle + distance * 60_000, timeZone).slice(0, 16);
        for (const now of [-90, -1, 0, 1, 30, 59, 60, 61, 120].map((minute) => middle + minute * 60_000)) {
          const isReached = resolveLocalTime(wall, timeZone) <= now;
          expect([now, wall <= lastMinute(now, timeZone)]).toEqual([now, isReached]);
        }
      },
    ),
    { numRuns: 3_000 },
  );
});
