import { expect, test } from "bun:test";
import { dayFields, dayLine, refused } from "../../../../api/doors/mcp/result.ts";

const today = { date: "2026-11-23", timeZone: "Europe/Berlin" };
const at = (time: string) => ({ today, calledAt: Date.parse(time), replayed: false });

test("an answer opens with weekday, date, clock and zone", () => {
  const moment = at("2026-11-23T14:40:59Z");
  expect(dayLine(dayFields(moment))).toBe("Today is Monday 2026-11-23, 15:40 in Europe/Berlin.");
  expect(dayFields(moment)).toEqual({
    ...{ today: "2026-11-23", weekday: "Monday", now: "2026-11-23T15:40" },
    time_zone: "Europe/Berlin",
  });
});

test("while a day lasts beyond midnight, the clock has its own date", () => {
  expect(dayLine(dayFields(at("2026-11-24T01:05:00Z")))).toBe(
    "Today is Monday 2026-11-23, by the clock 2026-11-24 02:05 in Europe/Berlin.",
  );
});

test("a replay has the day of its first run and no clock", () => {
  const moment = { ...at("2026-11-25T14:40:00Z"), replayed: true };
  expect(dayLine(dayFields(moment))).toStartWith(
    "The answer of 2026-11-23 in Europe/Berlin to an earlier call",
  );
  expect(dayFields(moment)).not.toHaveProperty("now");
});

test("a refusal has its code in structuredContent, and in _meta when the person's day is unknown", () => {
  const refusal = { code: "overloaded", message: "A part is away.", applied: "no" } as const;
  const known = refused(refusal, at("2026-11-23T15:40:00Z"));
  expect(known.structuredContent).toMatchObject({ code: "overloaded", applied: "no", today: today.date });
  expect(known._meta).toBeUndefined();
  const unknown = refused(refusal, { calledAt: Date.parse("2026-11-23T15:40:00Z") });
  expect(unknown.structuredContent).toBeUndefined();
  expect(unknown._meta).toMatchObject({ code: "overloaded", applied: "no" });
});
