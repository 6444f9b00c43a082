import { expect, test } from "bun:test";
import { instantInZone } from "../../../../workers/handlers/user/zone-change.ts";

const [berlin, newYork, nuuk] = ["Europe/Berlin", "America/New_York", "America/Nuuk"];

/** Reminder and wall time of its series, zone before and after; the instant after the move. */
const cases = [
  ["its wall time", "2026-11-21 08:00:00+00", "2026-11-21 09:00:00", berlin, newYork, "2026-11-21T14:00:00Z"],
  ["its wall time", "2026-11-21 08:00:00+00", "2026-11-21 09:00:00", berlin, berlin, "2026-11-21T08:00:00Z"],
  ["an hour later", "2026-11-21 11:11:00+00", "2026-11-21 09:00:00", berlin, newYork, "2026-11-21T11:11:00Z"],
  ["an hour later", "2026-11-21 11:11:00+00", "2026-11-21 09:00:00", berlin, berlin, "2026-11-21T11:11:00Z"],
  ["a day later", "2026-11-22 08:00:00+00", "2026-11-21 09:00:00", berlin, newYork, "2026-11-22T14:00:00Z"],
  [
    "in a skipped hour",
    "2026-03-29 01:00:00+00",
    "2026-03-29 02:30:00",
    berlin,
    newYork,
    "2026-03-29T06:30:00Z",
  ],
  [
    "a day later, in a skipped hour",
    "2026-03-29 01:00:00+00",
    "2026-03-28 02:30:00",
    berlin,
    newYork,
    "2026-03-29T06:30:00Z",
  ],
  [
    "in a skipped midnight",
    "2026-03-29 01:00:00+00",
    "2026-03-28 23:30:00",
    nuuk,
    berlin,
    "2026-03-28T22:30:00Z",
  ],
] as const;

test.each(cases)(
  "a reminder at %s (%s, %s) goes from %s to %s",
  (_, remind_at, wall_time, from, to, instant) => {
    expect(instantInZone({ remind_at, wall_time }, { from, to })).toBe(Date.parse(instant));
  },
);

test("without a zone before, as in a work of an earlier release, a reminder goes to its wall time", () => {
  const putOff = { remind_at: "2026-11-21 11:11:00+00", wall_time: "2026-11-21 09:00:00" };
  const instant = instantInZone(putOff, { from: undefined, to: newYork });
  expect(instant).toBe(Date.parse("2026-11-21T14:00:00Z"));
});
