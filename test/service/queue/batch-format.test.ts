import { afterAll, expect, test } from "bun:test";
import { Worker } from "bullmq";
import { SQL } from "bun";
import { loadConfig } from "../../../shared/process/config.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import {
  batchVersion,
  type Call,
  type CommandBatch,
  type QueuedCommand,
  type Replies,
} from "../../../shared/queue/batch.ts";
import { connectBlocking, connectFailFast, firstTry } from "../../../shared/queue/connections.ts";
import { commandQueue, openQueue } from "../../../shared/queue/queues.ts";
import { startWorkers } from "../../../workers/start.ts";
import { freePort, testEnvironment } from "../../harness.ts";
import { openOwnMailbox, signerOf } from "../../support/signed.ts";

const replyTo = crypto.randomUUID();
const newCommand = (): Omit<QueuedCommand, "ticket"> => ({
  id: Bun.randomUUIDv7(),
  userId: "ada",
  name: "todo.create",
  input: { title: "Written" },
  fingerprint: null,
  acceptedAt: Date.now(),
  sentAt: Date.now(),
});
const batchOf = (id: string): CommandBatch => ({
  v: batchVersion,
  id,
  replyTo,
  commands: [{ ...newCommand(), ticket: 1 }],
});
const signature = expect.any(String);

/** A queue of its own, and the messages to the sender of its batches. */
async function openLine() {
  const config = loadConfig({ ...(await testEnvironment()), WORKER_PORT: String(freePort()) });
  const { queuePrefix } = config;
  const producer = connectFailFast(config.redisUrl);
  const connection = connectBlocking(config.redisUrl, 5_000);
  await firstTry(producer);
  const messages: unknown[] = [];
  const ears = connectBlocking(config.redisUrl, 5_000);
  ears.on("message", (_channel, text) => messages.push(JSON.parse(text)));
  await ears.subscribe(replyTo);
  const queue = openQueue(commandQueue, { connection: producer, queuePrefix });
  const signer = await signerOf(config);
  /** Adds a batch that a front door signed. */
  const add = (batch: object) => queue.add("batch", signer.sign(batch));
  afterAll(async () => {
    await queue.close();
    for (const redis of [producer, connection, ears]) redis.disconnect();
  });
  return { config, queue, add, signer, messages, producer, connection };
}

async function startWorker(config: ReturnType<typeof loadConfig>) {
  const workers = await startWorkers({ config, log: createLog("test", "silent") });
  afterAll(workers.stop);
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await Bun.sleep(20);
}

test("a worker refuses what is no batch of its version, whatever does not fit, and runs what fits", async () => {
  const { config, add, messages } = await openLine();
  await startWorker(config);
  const misfits = {
    version: { ...batchOf("version"), v: 99, commands: "in another format" },
    unversioned: { ...batchOf("unversioned"), v: undefined },
    command: { ...batchOf("command"), commands: [{ ...newCommand(), ticket: 1, name: "todo.paint" }] },
    field: { ...batchOf("field"), commands: [{ ...newCommand(), ticket: "1" }] },
  };
  for (const [id, batch] of Object.entries(misfits)) {
    await add(batch);
    await until(() => messages.length === 1);
    expect(messages.splice(0)).toEqual([{ refusedBatch: id, replies: [], signature }]);
  }
  await add({ without: "address" });
  await add(batchOf("fits"));
  await until(() => messages.length === 1);
  const body = expect.objectContaining({ title: "Written", id: 1 });
  expect(messages).toEqual([
    {
      v: batchVersion,
      batchId: "fits",
      replies: [{ ticket: 1, outcome: { body }, replayed: false }],
      signature,
    },
  ]);
});

test("the replies to tool calls state the user's day, those to other commands do not", async () => {
  const { config, add, messages } = await openLine();
  await startWorker(config);
  const call: Call = {
    requestId: Bun.randomUUIDv7(),
    tokenId: "t",
    clientName: null,
    tool: "create-todo",
    arguments: "{}",
    startedAt: Date.now(),
  };
  const acceptedAt = Date.parse("2026-03-04T05:06:07Z");
  const commands = [
    { ...newCommand(), ticket: 1, acceptedAt, call },
    { ...newCommand(), ticket: 2, acceptedAt, call, name: "todo.delete", input: { id: 999 } },
    { ...newCommand(), ticket: 3, acceptedAt, name: "action.record", input: { call, outcome: "ok" } },
    { ...newCommand(), ticket: 4, acceptedAt },
  ];
  await add({ ...batchOf("calls"), commands });
  await until(() => messages.length === 1);
  const today = { date: "2026-03-04", timeZone: "UTC" };
  const { replies } = messages[0] as Replies;
  expect(replies.map((reply) => reply.today)).toEqual([today, today, today, undefined]);
});

test("a tool call whose batch comes twice has one row in the log, also at a time that PostgreSQL does not accept", async () => {
  const { config, add, messages } = await openLine();
  await startWorker(config);
  const hourAgo = Date.now() - 3_600_000;
  const call: Call = {
    ...{ requestId: Bun.randomUUIDv7(), tokenId: "t", clientName: null },
    ...{ tool: "create-todo", arguments: "{}", startedAt: hourAgo },
  };
  const commands = [{ ...newCommand(), ticket: 1, call }];
  for (const id of ["first", "again"]) {
    await add({ ...batchOf(id), commands });
    await until(() => messages.length === 1);
    const [{ replies }] = messages.splice(0) as [Replies];
    expect(replies).toMatchObject([{ outcome: { body: { id: 1 } }, replayed: id === "again" }]);
  }
  const sql = new SQL(config.databaseUrl);
  const rows = await sql`select tool, outcome, replayed from action_log`;
  expect(rows.map((row: object) => ({ ...row }))).toEqual([
    { tool: "create-todo", outcome: "ok", replayed: false },
  ]);
  await sql.close();
});

test("a worker leaves a redelivered batch of another version unanswered: it may have been run", async () => {
  const { config, queue, add, messages, connection } = await openLine();
  await add({ ...batchOf("again"), v: 99 });
  const prefix = `{${config.queuePrefix}}`;
  const dying = new Worker(commandQueue.name, null, { connection, prefix, lockDuration: 500 });
  expect(await dying.getNextJob("token")).toBeDefined();
  await dying.close(true);
  await startWorker(config);
  await until(async () => (await queue.getJobCountByTypes("waiting", "active")) === 0);
  await add(batchOf("after it"));
  await until(() => messages.length > 0);
  expect(messages).toMatchObject([{ batchId: "after it" }]);
  const metrics = await (await fetch(`http://127.0.0.1:${config.workerPort}/metrics`)).text();
  expect(metrics).toContain('kept_jobs_redelivered_total{queue="commands"} 1\n');
  expect(metrics).toContain('kept_batches_refused_total{reason="format"} 1\n');
}, 20_000);

test("a front door takes a reply of another version for none, and a refusal for its commands' own", async () => {
  const { config, signer, producer, connection } = await openLine();
  const answers = [{ v: 99, batchId: "", replies: "in another format" }, { refusedBatch: "" }];
  const answered: object[] = [];
  const worker = new Worker<CommandBatch>(
    commandQueue.name,
    async ({ data }) => {
      const answer = answers.shift();
      if (!answer || data.commands.length === 0) return;
      answered.push(answer);
      const withId = "refusedBatch" in answer ? { refusedBatch: data.id } : { ...answer, batchId: data.id };
      await producer.publish(data.replyTo, "no JSON at all");
      await producer.publish(data.replyTo, JSON.stringify(signer.sign(withId)));
    },
    { connection, prefix: `{${config.queuePrefix}}` },
  );
  const mailbox = await openOwnMailbox(config);
  afterAll(async () => {
    await mailbox.close();
    await worker.close(true);
  });
  const first = mailbox.send(newCommand());
  await until(() => answered.length === 1);
  expect(await Promise.all([first, mailbox.send({ ...newCommand(), userId: "bob" })])).toEqual([
    "unanswered",
    "undelivered",
  ]);
  expect(answered).toHaveLength(2);
});
