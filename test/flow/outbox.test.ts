import { expect, test } from "bun:test";
import { createOutbox } from "../../api/outbox.ts";
import type { QueuedCommand } from "../../shared/queue/envelope.ts";

const command = (ticket: number): QueuedCommand => ({
  ticket,
  id: crypto.randomUUID(),
  userId: "ada",
  name: "todo.create",
  input: {},
  fingerprint: null,
  acceptedAt: 0,
  sentAt: 0,
});

const longMs = 60_000;

test("commands leave in their order, and each but once", () => {
  const outbox = createOutbox();
  for (const ticket of [1, 2, 3]) outbox.put(command(ticket));
  expect(outbox.take(2).map(({ ticket }) => ticket)).toEqual([1, 2]);
  expect([outbox.withdraw(1), outbox.withdraw(3), outbox.withdraw(3), outbox.size()]).toEqual([
    false,
    true,
    false,
    0,
  ]);
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
