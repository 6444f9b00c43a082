import { expect, test } from "bun:test";
import { snoozedTime } from "../../../../workers/handlers/reminder/snooze.ts";

const berlin = "Europe/Berlin";

/** Act, user's day, now, clock; remind_at and wall time. The third user's day starts at 3 a.m. */
const cases = [
  ["hour", "2026-11-21", "2026-11-21T10:10:30Z", "09:00:00", "2026-11-21T11:11:00.000Z", null],
  ["hour", "2026-11-21", "2026-11-21T10:10:00Z", "09:00:00", "2026-11-21T11:10:00.000Z", null],
  [
    "tomorrow",
    "2026-11-21",
    "2026-11-21T10:10:00Z",
    "09:00:00",
    "2026-11-22T08:00:00.000Z",
    "2026-11-22T09:00:00",
  ],
  [
    "tomorrow",
    "2026-11-21",
    "2026-11-22T00:30:00Z",
    "09:00:00",
    "2026-11-22T08:00:00.000Z",
    "2026-11-22T09:00:00",
  ],
  [
    "tomorrow",
    "2026-11-21",
    "2026-11-22T00:30:00Z",
    "00:30:00",
    "2026-11-22T23:30:00.000Z",
    "2026-11-23T00:30:00",
  ],
  [
    "tomorrow",
    "2026-03-28",
    "2026-03-28T10:00:00Z",
    "02:30:00",
    "2026-03-29T01:00:00.000Z",
    "2026-03-29T02:30:00",
  ],
  [
    "tomorrow",
    "2026-10-24",
    "2026-10-24T10:00:00Z",
    "02:30:00",
    "2026-10-25T00:30:00.000Z",
    "2026-10-25T02:30:00",
  ],
] as const;

test.each(cases)("%s on %s at %s", (act, date, now, clock, remind_at, wall_time) => {
  const day = { date, timeZone: berlin, now: Date.parse(now) };
  expect(snoozedTime(act, clock, day)).toEqual({ remind_at, wall_time });
});
