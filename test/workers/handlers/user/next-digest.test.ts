import { expect, test } from "bun:test";
import { digestAfterChange, nextDigest } from "../../../../workers/handlers/user/next-digest.ts";

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
