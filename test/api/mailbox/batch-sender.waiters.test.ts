import { expect, test } from "bun:test";
import { createWaiters } from "../../../api/mailbox/batch-sender.ts";

const patienceMs = 20;

test("an answer in time counts, and a second one does not", async () => {
  const waiters = createWaiters<string, string>(patienceMs);
  const answer = waiters.wait("key", () => "late");
  waiters.settle("key", "first");
  waiters.settle("key", "second");
  expect(await answer).toBe("first");
});

test("an answer that a frozen process reads after the time, before its timers run, is late", async () => {
  const waiters = createWaiters<string, string>(patienceMs);
  const answer = waiters.wait("key", () => "late");
  Bun.sleepSync(patienceMs + 5);
  waiters.settle("key", "answer");
  expect(await answer).toBe("late");
});
