import { expect, test } from "bun:test";
import type { Inflicted } from "../faults.ts";
import { createHistory } from "../history.ts";
import { checkLate } from "./late.ts";

const answeredAt = 100_000;

/** True if a todo counts as late whose creation was answered "unknown" at `answeredAt`. */
function isLate(created_at: number, inflicted: readonly Inflicted[]): boolean {
  const history = createHistory();
  const operation = history.begin({
    client: 0,
    user: 0,
    action: { kind: "create todo", title: "a", description: "a" },
    via: "rest",
  });
  operation.attempts.push({ door: 0, from: 98_000, to: answeredAt, answer: { verdict: "unknown" } });
  const todos = [{ id: 1, title: "a", description: "a", is_completed: false, created_at }];
  const rest = { habits: [], categories: [], log: [], renamings: [], doubleReplies: 0 };
  return checkLate({ history, inflicted, todos, ...rest }).length > 0;
}

/** PostgreSQL's clock was wrong by so many seconds between two moments. */
const wrong = (seconds: number, from: number, to: number): Inflicted[] => [
  { fault: { kind: "clock", on: "postgres", seconds, ms: to - from, after: 0 }, from, to },
];

test("a row is late by the time at which it was truly written", () => {
  expect(isLate(99_000, [])).toBe(false);
  expect(isLate(101_000, [])).toBe(true);
  // Rows written at 99 s and at 102 s, by a clock that was 90 s ahead.
  expect(isLate(189_000, wrong(90, 97_000, 103_000))).toBe(false);
  expect(isLate(192_000, wrong(90, 97_000, 103_000))).toBe(true);
  // The same by a clock that was 600 s behind.
  expect(isLate(99_000 - 600_000, wrong(-600, 97_000, 103_000))).toBe(false);
  expect(isLate(102_000 - 600_000, wrong(-600, 97_000, 103_000))).toBe(true);
});

test("a wrong clock excuses no row that was written before or after it", () => {
  expect(isLate(102_000, wrong(90, 95_000, 99_500))).toBe(true);
  expect(isLate(101_000, wrong(-600, 103_000, 106_000))).toBe(true);
});
