import { expect, test } from "bun:test";
import { digestAfterChange, instantInZone, nextDigest } from "../../../workers/handlers/user.ts";
import { rowsIn } from "../../support/text-table.ts";

test("a digest comes at eight on the user's clock, every day or on Mondays, also when the clock changes", () => {
  const cases = [
    ["daily", "UTC", "2026-11-20T07:59:59Z", "2026-11-20T08:00:00.000Z"],
    ["daily", "UTC", "2026-11-20T08:00:00Z", "2026-11-21T08:00:00.000Z"],
    ["daily", "Europe/Berlin", "2027-03-27T12:00:00Z", "2027-03-28T06:00:00.000Z"],
    ["daily", "America/New_York", "2027-11-06T13:00:00Z", "2027-11-07T13:00:00.000Z"],
    ["weekly", "UTC", "2026-11-23T07:00:00Z", "2026-11-23T08:00:00.000Z"],
    ["weekly", "UTC", "2026-11-23T08:00:00Z", "2026-11-30T08:00:00.000Z"],
    ["weekly", "Pacific/Auckland", "2026-11-22T18:00:00Z", "2026-11-22T19:00:00.000Z"],
  ] as const;
  for (const [digest, zone, after, next] of cases)
    expect([zone, after, nextDigest(digest, zone, Date.parse(after))]).toEqual([zone, after, next]);
  expect(nextDigest("never", "UTC", 0)).toBeNull();
});

test("a digest that is due and not yet taken still comes after a change of zone", () => {
  const before = { digest: "daily", time_zone: "UTC", digest_at: "2026-11-20 08:00:00+00" } as const;
  const now = Date.parse("2026-11-20T09:30:00Z");
  const after = digestAfterChange(before, { digest: "daily", time_zone: "Atlantic/Azores" }, now);
  expect(after).toBe("2026-11-20T09:00:00.000Z");
});

/** Zone before and after; the reminder and the wall time of its series; the instant after the move. */
const rows = rowsIn(`
  at its wall time     Europe/Berlin  America/New_York  2026-11-21T08:00  2026-11-21T09:00  2026-11-21T14:00
  at its wall time     Europe/Berlin  Europe/Berlin     2026-11-21T08:00  2026-11-21T09:00  2026-11-21T08:00
  an hour later        Europe/Berlin  America/New_York  2026-11-21T11:11  2026-11-21T09:00  2026-11-21T11:11
  an hour later        Europe/Berlin  Europe/Berlin     2026-11-21T11:11  2026-11-21T09:00  2026-11-21T11:11
  a day later          Europe/Berlin  America/New_York  2026-11-22T08:00  2026-11-21T09:00  2026-11-22T14:00
  in a skipped hour    Europe/Berlin  America/New_York  2026-03-29T01:00  2026-03-29T02:30  2026-03-29T06:30
  a day later, in one  Europe/Berlin  America/New_York  2026-03-29T01:00  2026-03-28T02:30  2026-03-29T06:30
  at a skipped midnight  America/Nuuk  Europe/Berlin    2026-03-29T01:00  2026-03-28T23:30  2026-03-28T22:30`);

test.each(rows)("a reminder %s goes from %s to %s (%s, %s)", (...row) => {
  const [, from = "", to = "", at = "", wall = "", instant = ""] = row;
  const reminder = { remind_at: `${at.replace("T", " ")}:00+00`, wall_time: `${wall.replace("T", " ")}:00` };
  expect(instantInZone(reminder, { from, to })).toBe(Date.parse(`${instant}Z`));
});
