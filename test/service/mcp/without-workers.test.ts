import { expect, test } from "bun:test";
import { Worker } from "bullmq";
import { exampleTodo } from "../../../shared/contracts/todo/examples.ts";
import { type CommandBatch, type Reply, readBatch } from "../../../shared/queue/batch.ts";
import { connectBlocking, connectFailFast, firstTry } from "../../../shared/queue/connections.ts";
import { commandQueue } from "../../../shared/queue/queues.ts";
import { startStack } from "../../harness.ts";
import { newcomer } from "../../support/mcp.ts";
import { signerOf } from "../../support/signed.ts";

const stack = await startStack({ workers: 0 });
const { redisUrl, queuePrefix } = stack.config;

/** Answers every command in place of a worker. */
async function answerWith(reply: Omit<Reply, "ticket">) {
  const publisher = connectFailFast(redisUrl);
  const connection = connectBlocking(redisUrl, 5_000);
  await firstTry(publisher);
  const signer = await signerOf(stack.config);
  const worker = new Worker<CommandBatch>(
    commandQueue.name,
    async ({ data }) => {
      const batch = readBatch(data, signer);
      if (!batch) throw new Error("no batch of this version");
      const replies = batch.commands.map(({ ticket }) => ({ ticket, ...reply }));
      const signed = signer.sign({ v: batch.v, batchId: batch.id, replies });
      await publisher.publish(batch.replyTo, JSON.stringify(signed));
    },
    { connection, prefix: `{${queuePrefix}}` },
  );
  return async () => {
    await worker.close(true);
    for (const redis of [publisher, connection]) redis.disconnect();
  };
}

const conflict = { refusal: { code: "conflict", message: "Already so." } } as const;
const { id, title } = exampleTodo;
const deleted = { outcome: { body: { id, title, was: exampleTodo } }, replayed: false };
const tokyo = { date: "2026-11-21", timeZone: "Asia/Tokyo" };
const utc = { today: "2026-11-20", time_zone: "UTC" };

test.each([
  ["a change", { ...deleted, today: tokyo }, { today: "2026-11-21", time_zone: "Asia/Tokyo" }],
  ["a refusal", { outcome: conflict, replayed: false, today: tokyo }, { today: "2026-11-21" }],
  ["a change whose reply states none", deleted, utc],
  ["a refusal whose reply states none", { outcome: conflict, replayed: false }, utc],
])("%s is answered with the day of its reply, or that PostgreSQL knows", async (_, reply, day) => {
  stack.clock.now = Date.parse("2026-11-20T10:00:00Z");
  const stop = await answerWith(reply);
  const { call } = await newcomer(stack);
  const { facts } = await call("delete-todo", { todo_id: 7 });
  await stop();
  stack.clock.now = undefined;
  expect(facts).toMatchObject(day);
});

test("a write that no worker has answered may or may not have been applied, and says so; the next is not tried", async () => {
  const { call } = await newcomer(stack);
  const { isError, facts, text } = await call("create-todo", { title: "x", idempotency_key: "k" });
  expect(isError).toBe(true);
  expect(facts).toMatchObject({ code: "overloaded", applied: "unknown" });
  expect(text).toContain("with the same idempotency_key");
  const later = await call("create-todo", { title: "x", idempotency_key: "k" });
  expect(later.facts).toMatchObject({ code: "overloaded", applied: "no" });
});

test("a call whose row cannot be written is refused: a read gives nothing away, and no row appears", async () => {
  const { call, logged } = await newcomer(stack);
  const { isError, facts, text } = await call("get-pending-todos");
  expect(isError).toBe(true);
  expect(facts).toMatchObject({ code: "overloaded", applied: "no", retry_after_seconds: 1 });
  expect(facts).not.toHaveProperty("todos");
  expect(text).toContain("nothing was changed, so call again");
  expect(await logged()).toEqual([]);
});

test("a refusal for a missing scope is not given either, but 503", async () => {
  const { call } = await newcomer(stack, { scope: "todos:read" });
  const { status, headers } = (await call("create-todo", { title: "x" })).answer;
  expect([status, headers.get("retry-after")]).toEqual([503, "1"]);
});
