import { expect, test } from "bun:test";
import { createPendingCommands, type LineKind } from "../../../api/mailbox/mailbox.ts";
import type { QueuedCommand } from "../../../shared/queue/batch.ts";

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

const ticketsOf = (commands: readonly QueuedCommand[]) => commands.map(({ ticket }) => ticket);

/** Pending commands of these users, numbered from 1 in the order of their arrival. What `take` takes is answered at once. */
function filledWith(...users: string[]) {
  const pending = createPendingCommands();
  const commands = users.map((user, index) => command(index + 1, user));
  for (const one of commands) pending.put(one);
  return {
    pending,
    commands,
    take(count: number, kind: LineKind = "short") {
      const taken = pending.take(count, kind);
      for (const one of taken) pending.ended(one);
      return ticketsOf(taken);
    },
  };
}

test("one user's commands leave in their order, and each but once", () => {
  const { pending, commands, take } = filledWith("ada", "ada", "ada");
  const [first, , last] = commands;
  if (!first || !last) throw new Error("no commands");
  expect(take(2)).toEqual([1, 2]);
  expect([pending.withdraw(first), pending.withdraw(last), pending.withdraw(last)]).toEqual([
    false,
    true,
    false,
  ]);
  expect([pending.size(), pending.sizeOf("ada")]).toEqual([0, 0]);
});

test("users take turns, however many commands one of them has", () => {
  const { pending, take } = filledWith("mallory", "mallory", "mallory", "ada", "bob", "bob");
  expect(pending.ahead("carol")).toBe(3);
  expect(pending.ahead("mallory")).toBe(6);
  expect(take(4)).toEqual([1, 4, 5, 2]);
  pending.put(command(7, "ada"));
  expect(take(10)).toEqual([6, 3, 7]);
  expect(pending.size()).toBe(0);
});

test("a long line leaves apart and by shares when others wait too; alone, a user fills a batch", () => {
  const flood = Array.from({ length: 17 }, () => "mallory");
  expect(filledWith(...flood).take(100)).toHaveLength(17);
  const { take } = filledWith("ada", ...flood);
  expect(take(100)).toEqual([1]);
  expect([take(100, "long"), take(100, "long"), take(100, "long")].map((taken) => taken.length)).toEqual([
    8, 8, 0,
  ]);
  expect(take(100)).toEqual([18]);
});

test("a user's line stands still until all that has left it is ended, and nobody else's does", () => {
  const { pending, commands } = filledWith("mallory", "mallory", "mallory", "ada");
  const take = (count: number) => ticketsOf(pending.take(count, "short"));
  const [first, second, third, other] = commands;
  if (!first || !second || !third || !other) throw new Error("no commands");
  expect(take(3)).toEqual([1, 4, 2]);
  expect([pending.ended(third), pending.ended(second), take(10)]).toEqual([false, false, []]);
  expect([pending.ended(other), pending.ended(first), pending.ended(first)]).toEqual([false, true, false]);
  expect(take(10)).toEqual([3]);
});

test("a command that can take long leaves as the only one of its user", () => {
  const { pending, take } = filledWith("ada", "ada");
  pending.put({ ...command(3), name: "category.delete" });
  pending.put(command(4));
  expect([take(10), take(10), take(10)]).toEqual([[1, 2], [3], [4]]);
});
