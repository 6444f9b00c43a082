import { afterAll, beforeEach, expect, test } from "bun:test";
import { Worker } from "bullmq";
import { pino } from "pino";
import {
  batchVersion,
  type CommandBatch,
  type QueuedCommand,
  readBatch,
} from "../../../shared/queue/batch.ts";
import { connectBlocking, connectFailFast, firstTry } from "../../../shared/queue/connections.ts";
import { commandQueue, openQueue } from "../../../shared/queue/queues.ts";
import { createSigner } from "../../../shared/queue/signature.ts";
import { freePort, startStack } from "../../harness.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { openOwnMailbox, signerOf } from "../../support/signed.ts";

const lines: Record<string, unknown>[] = [];
const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
const workerPort = freePort();
const { config, rest } = await startStack({ env: { WORKER_PORT: String(workerPort) }, log });
const signer = await signerOf(config);
const stranger = createSigner(["a key of somebody who can write to Redis"]);

const producer = connectFailFast(config.redisUrl);
const connection = connectBlocking(config.redisUrl, 5_000);
const ears = connectBlocking(config.redisUrl, 5_000);
await firstTry(producer);
const replyTo = crypto.randomUUID();
const messages: Record<string, unknown>[] = [];
ears.on("message", (_channel, text) => messages.push(JSON.parse(text)));
await ears.subscribe(replyTo);
const { queuePrefix } = config;
const queue = openQueue<object>(commandQueue, { connection: producer, queuePrefix });
afterAll(async () => {
  await queue.close();
  for (const redis of [producer, connection, ears]) redis.disconnect();
});
beforeEach(() => {
  messages.length = 0;
});

const commandOf = (title: string): Omit<QueuedCommand, "ticket"> => ({
  ...{ id: Bun.randomUUIDv7(), userId: "ada", name: "todo.create", input: { title }, fingerprint: null },
  ...{ acceptedAt: Date.now(), sentAt: Date.now() },
});
const batchOf = (id: string, command: Partial<QueuedCommand> = {}): CommandBatch => ({
  ...{ v: batchVersion, id, replyTo },
  commands: [{ ...commandOf(id), ticket: 1, ...command }],
});
const titles = async () => {
  const { body } = await rest("GET", "/todos");
  return body.data.map(({ title }: { title: string }) => title).toSorted();
};

test("a forged reply, and a worker's reply to another door, answer nobody", async () => {
  // No worker takes jobs of this queue.
  const own = { ...config, queuePrefix: `${queuePrefix}-forged` };
  const [victim, other] = [await openOwnMailbox(own), await openOwnMailbox(own)];
  const seen: CommandBatch[] = [];
  const forger = new Worker(commandQueue.name, async ({ data }) => void seen.push(data), {
    connection,
    prefix: `{${own.queuePrefix}}`,
  });
  afterAll(async () => {
    await Promise.all([victim.close(), other.close(), forger.close(true)]);
  });
  const sent = [victim.send(commandOf("told to be done")), other.send(commandOf("done"))];
  const batchWith = (title: string) =>
    seen.find(({ commands }) => commands.some(({ input }) => Object(input).title === title));
  await eventually(() => batchWith("told to be done") !== undefined && batchWith("done") !== undefined);
  const [asked, answered] = [batchWith("told to be done"), batchWith("done")];
  const replyTo = (batch: CommandBatch | undefined) => ({
    ...{ v: batchVersion, batchId: batch?.id },
    replies: [{ ticket: batch?.commands[0]?.ticket, outcome: { body: { id: 7 } }, replayed: false }],
  });
  const tell = (door: string | undefined, message: object) =>
    producer.publish(door ?? "", JSON.stringify(message));
  await tell(asked?.replyTo, replyTo(asked));
  await tell(asked?.replyTo, stranger.sign(replyTo(asked)));
  await tell(asked?.replyTo, stranger.sign({ refusedBatch: asked?.id }));
  for (const door of [asked, answered]) await tell(door?.replyTo, signer.sign(replyTo(answered)));
  expect(await Promise.all(sent)).toEqual([
    "unanswered",
    expect.objectContaining({ outcome: { body: { id: 7 } } }),
  ]);
});

test("a job that no front door signed changes nothing, is told in the log and counted", async () => {
  const signed = signer.sign(batchOf("signed"));
  const forged = {
    unsigned: batchOf("unsigned"),
    stranger: stranger.sign(batchOf("stranger")),
    changed: { ...signed, ...batchOf("changed") },
    extended: { ...signer.sign(batchOf("extended")), more: true },
    numbered: { ...batchOf("numbered"), signature: 7 },
  };
  for (const [name, job] of Object.entries(forged)) await queue.add(name, job);
  await queue.add("a text", "no object" as unknown as object);
  await queue.add("signed", signed);
  await eventually(() => messages.some(({ batchId }) => batchId === "signed"));
  const refusals = Object.keys(forged).map((id) => ({ refusedBatch: id, replies: [] }));
  expect(messages).toEqual(expect.arrayContaining(refusals));
  expect(await titles()).toEqual(["signed"]);
  await eventually(() => lines.length === 6);
  expect(lines.map(({ event }) => event)).toEqual(Array(6).fill("input_validation_fail:signature"));
  const metrics = await (await fetch(`http://127.0.0.1:${workerPort}/metrics`)).text();
  expect(metrics).toContain('kept_batches_refused_total{reason="signature"} 6\n');
  expect(readBatch(JSON.parse(JSON.stringify(signed)), signer)).toBeDefined();
});

test("a signed job that somebody repeats, at once or later, changes nothing twice", async () => {
  const by = { requestId: Bun.randomUUIDv7(), door: "rest", tokenId: "t", clientName: null } as const;
  const call = { ...by, tool: "todo.create", arguments: "{}", startedAt: Date.now() };
  const jobs = [
    batchOf("once"),
    batchOf("with a key", { fingerprint: "f" }),
    batchOf("read again", { call, readsAgain: true }),
    batchOf("late", { sentAt: Date.now() - 60_000 }),
  ].map(signer.sign);
  for (const _ of [1, 2, 3]) for (const job of jobs) await queue.add("batch", job);
  // A worker that waits for a locked key says at once, in a message without replies, that it has the batch.
  await eventually(() => messages.flatMap(({ replies }) => replies).length === 12);
  expect(await titles()).toEqual(["once", "read again", "signed", "with a key"]);
});
