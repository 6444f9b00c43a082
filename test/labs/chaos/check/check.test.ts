import { expect, test } from "bun:test";
import type { Inflicted } from "../faults.ts";
import { type Answer, createHistory } from "../history.ts";
import { checkLate } from "./late.ts";
import { checkOrder } from "./order.ts";

const nothing = { inflicted: [], todos: [], habits: [], categories: [], log: [] };
const none = { ...nothing, renamings: [], doubleReplies: 0 };
const answeredAt = 100_000;

/** True if a todo counts as late whose creation was answered "unknown" at `answeredAt`. */
function isLate(created_at: number, inflicted: readonly Inflicted[]): boolean {
  const history = createHistory();
  const action = { kind: "create todo", title: "a", description: "a" } as const;
  const answer = { verdict: "unknown" } as const;
  history
    .begin({ client: 0, user: 0, action, via: "rest" })
    .attempts.push({ door: 0, from: 98_000, to: answeredAt, answer });
  const todos = [{ id: 1, title: "a", description: "a", is_completed: false, created_at }];
  return checkLate({ ...none, history, inflicted, todos }).length > 0;
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

type Renamed = Readonly<{ title: string; accepted_at: number; verdict?: "done" | "unknown" }>;

/** The number of renamings of one todo, done in this order, that the check finds out of order. */
function found(renamed: readonly Renamed[]): number {
  const history = createHistory();
  let before = "Made";
  const renamings = renamed.map(({ title, accepted_at, verdict = "done" }) => {
    const after = `Hurried burst ${title}`;
    const action = { kind: "rename todo", todo: 1, title: after } as const;
    const answer: Answer = verdict === "done" ? { verdict, resource: {}, replayed: false } : { verdict };
    history
      .begin({ client: 0, user: 0, action, via: "rest" })
      .attempts.push({ door: 0, from: accepted_at, to: accepted_at + 10, answer });
    const renaming = { todo: 1, before, after, accepted_at };
    before = after;
    return renaming;
  });
  return checkOrder({ ...none, history, renamings: renamings.toReversed() }).length;
}

test("a change that takes effect before one accepted earlier is found, unless nobody was told of it", () => {
  const [first, second, third] = ["a", "b", "c"].map((title, index) => ({ title, accepted_at: index * 10 }));
  if (!first || !second || !third) throw new Error("no changes");
  expect(found([first, second, third])).toBe(0);
  expect(found([second, first, third])).toBe(1);
  expect(found([second, third, { ...first, verdict: "unknown" }])).toBe(0);
});
