import { expect, test } from "bun:test";
import { Worker } from "bullmq";
import { type CommandBatch, type Reply, readBatch } from "../../../shared/queue/batch.ts";
import { connectBlocking, connectFailFast, firstTry } from "../../../shared/queue/connections.ts";
import { commandQueue } from "../../../shared/queue/queues.ts";
import { startStack } from "../../harness.ts";
import { agent } from "../../support/mcp.ts";
import { signerOf } from "../../support/signed.ts";

const stack = await startStack({ workers: 0 });
stack.clock.now = Date.parse("2026-11-20T10:00:00Z");

/** Answers every command in place of a worker. */
async function answerWith(reply: Omit<Reply, "ticket">) {
  const { redisUrl, queuePrefix } = stack.config;
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
      await publisher.publish(
        batch.replyTo,
        JSON.stringify(signer.sign({ v: batch.v, batchId: batch.id, replies })),
      );
    },
    { connection, prefix: `{${queuePrefix}}` },
  );
  return async () => {
    await worker.close(true);
    for (const redis of [publisher, connection]) redis.disconnect();
  };
}

const conflict = { refusal: { code: "conflict", message: "Already so." } } as const;
const deleted = { outcome: { body: null }, replayed: false };
const tokyo = { date: "2026-11-21", timeZone: "Asia/Tokyo" };
const utc = { today: "2026-11-20", time_zone: "UTC" };

test.each([
  ["a change", { ...deleted, today: tokyo }, { today: "2026-11-21", time_zone: "Asia/Tokyo" }],
  ["a refusal", { outcome: conflict, replayed: false, today: tokyo }, { today: "2026-11-21" }],
  ["a change by a worker of an earlier release", deleted, utc],
  ["a refusal by a worker of an earlier release", { outcome: conflict, replayed: false }, utc],
])("%s is answered with the day that its reply states, or that PostgreSQL knows", async (_, reply, day) => {
  const stop = await answerWith(reply);
  const { call } = await agent(stack);
  const { facts } = await call("delete-todo", { todo_id: 7 });
  await stop();
  expect(facts).toMatchObject(day);
});
