import { expect, test } from "bun:test";
import { instantInZone } from "../../../../workers/handlers/user/zone-change.ts";
import { rowsIn } from "../../../support/text-table.ts";

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

test("without a zone before, as in a work of an earlier release, a reminder goes to its wall time", () => {
  const putOff = { remind_at: "2026-11-21 11:11:00+00", wall_time: "2026-11-21 09:00:00" };
  const instant = instantInZone(putOff, { from: undefined, to: "America/New_York" });
  expect(instant).toBe(Date.parse("2026-11-21T14:00:00Z"));
});
