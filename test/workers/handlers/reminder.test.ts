import { expect, test } from "bun:test";
import { snoozedTime } from "../../../workers/handlers/reminder.ts";
import { rowsIn } from "../../support/text-table.ts";

/** Act, now, the user's day and the reminder's clock; then the new instant and wall time. */
const cases = rowsIn(`
  hour      2026-11-21T10:10:30Z  2026-11-21  09:00:00  2026-11-21T11:11:00.000Z
  hour      2026-11-21T10:10:00Z  2026-11-21  09:00:00  2026-11-21T11:10:00.000Z
  tomorrow  2026-11-21T10:10:00Z  2026-11-21  09:00:00  2026-11-22T08:00:00.000Z  2026-11-22T09:00:00
  tomorrow  2026-11-22T00:30:00Z  2026-11-21  09:00:00  2026-11-22T08:00:00.000Z  2026-11-22T09:00:00
  tomorrow  2026-11-22T00:30:00Z  2026-11-21  00:30:00  2026-11-22T23:30:00.000Z  2026-11-23T00:30:00
  tomorrow  2026-03-28T10:00:00Z  2026-03-28  02:30:00  2026-03-29T01:00:00.000Z  2026-03-29T02:30:00
  tomorrow  2026-10-24T10:00:00Z  2026-10-24  02:30:00  2026-10-25T00:30:00.000Z  2026-10-25T02:30:00`);

test.each(cases)("%s at %s, on the user's day %s, puts off a reminder of %s to %s", (...row) => {
  const [act, now = "", date = "", clock = "", remind_at = "", wall_time = null] = row;
  const day = { date, timeZone: "Europe/Berlin", now: Date.parse(now) };
  expect(snoozedTime(act === "hour" ? "hour" : "tomorrow", clock, day)).toEqual({ remind_at, wall_time });
});
