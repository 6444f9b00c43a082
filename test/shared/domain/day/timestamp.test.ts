import { expect, test } from "bun:test";
import { timestamp } from "../../../../shared/domain/day/timestamp.ts";

test("a time of PostgreSQL keeps its microseconds; handlers' own pass as they are", () => {
  expect(timestamp("2026-11-20 09:15:02.1042+00")).toBe("2026-11-20T09:15:02.104200Z");
  expect(timestamp("2026-11-20T09:15:02.1042+00:00")).toBe("2026-11-20T09:15:02.104200Z");
  expect(timestamp("2026-11-20 09:15:02+00")).toBe("2026-11-20T09:15:02.000000Z");
  expect(timestamp("2026-11-20T09:15:02.104Z")).toBe("2026-11-20T09:15:02.104000Z");
});

test("a time in another zone is refused: without its offset it would be a wrong one", () => {
  for (const other of [
    "2026-11-20 10:15:02+01",
    "2026-11-20 09:15:02-03:30",
    "2026-11-20 09:15:02",
    "infinity",
  ])
    expect(() => timestamp(other)).toThrow("not in UTC");
});
