import { expect, test } from "bun:test";
import type { QueuedCommand } from "../../shared/queue/batch.ts";
import { createOutbox, type LineKind } from "../../shared/queue/client/pending.ts";

const command = (ticket: number, userId = "ada"): QueuedCommand => ({
  ticket,
  id: crypto.randomUUID(),
  userId,
  name: "todo.create",
  input: {},
  fingerprint: null,
  acceptedAt: 0,
  sentAt: 0,
});

/** An outbox with these users' commands, numbered in order of arrival from 1. */
function filledWith(...users: string[]) {
  const outbox = createOutbox();
  const commands = users.map((user, index) => command(index + 1, user));
  for (const one of commands) outbox.put(one);
  return {
    outbox,
    commands,
    take: (count: number, kind: LineKind = "short") => outbox.take(count, kind).map(({ ticket }) => ticket),
  };
}

const longMs = 60_000;

test("one user's commands leave in their order, and each but once", () => {
  const { outbox, commands, take } = filledWith("ada", "ada", "ada");
  const [first, , last] = commands;
  if (!first || !last) throw new Error("no commands");
  expect(take(2)).toEqual([1, 2]);
  expect([outbox.withdraw(first), outbox.withdraw(last), outbox.withdraw(last)]).toEqual([
    false,
    true,
    false,
  ]);
  expect([outbox.size(), outbox.sizeOf("ada")]).toEqual([0, 0]);
});

test("users take turns, however many commands one of them has", () => {
  const { outbox, take } = filledWith("mallory", "mallory", "mallory", "ada", "bob", "bob");
  expect(outbox.ahead("carol")).toBe(3);
  expect(outbox.ahead("mallory")).toBe(6);
  expect(take(4)).toEqual([1, 4, 5, 2]);
  outbox.put(command(7, "ada"));
  expect(take(10)).toEqual([6, 3, 7]);
  expect(outbox.size()).toBe(0);
});

test("beside others a long line travels apart and by shares; alone, a user fills an envelope", () => {
  const flood = Array.from({ length: 17 }, () => "mallory");
  expect(filledWith(...flood).take(100)).toHaveLength(17);
  const { take } = filledWith("ada", ...flood);
  expect(take(100)).toEqual([1]);
  expect([take(100, "long"), take(100, "long"), take(100, "long")].map((taken) => taken.length)).toEqual([
    8, 8, 0,
  ]);
  expect(take(100)).toEqual([18]);
});

test("who is held back waits, and nobody else does", () => {
  const { outbox, take } = filledWith("mallory", "ada", "mallory", "bob");
  const release = outbox.holdBack(new Set(["mallory"]));
  expect(take(10)).toEqual([2, 4]);
  expect(take(10)).toEqual([]);
  release();
  expect(take(10)).toEqual([1, 3]);
});

test("waiting ends with the last of those waited for, at once when they are there, or when the time is up", async () => {
  const outbox = createOutbox();
  let filled = false;
  const waiting = outbox.filled(2, longMs).then(() => (filled = true));
  outbox.put(command(1));
  await Bun.sleep(1);
  expect(filled).toBe(false);
  outbox.put(command(2));
  await waiting;
  await outbox.filled(2, longMs);
  await outbox.filled(3, 1);
});
