import { afterAll, beforeEach, expect, test } from "bun:test";
import { Worker } from "bullmq";
import { pino } from "pino";
import { type Config, loadConfig } from "../../../shared/process/config.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import {
  batchVersion,
  type Call,
  type CommandBatch,
  createSigner,
  type Replies,
  readBatch,
} from "../../../shared/queue/batch.ts";
import { commandQueue } from "../../../shared/queue/queues.ts";
import { startWorkers } from "../../../workers/start.ts";
import { freePort, startStack, testEnvironment } from "../../harness.ts";
import { loggedCalls } from "../../support/mcp.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { commandOf, openLine, openOwnMailbox } from "../../support/signed.ts";

const lines: Record<string, unknown>[] = [];
const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
const { config, rest } = await startStack({ env: { WORKER_PORT: String(freePort()) }, log });
const line = await openLine(config);
const { queue, signer, messages, producer, connection, add } = line;
const stranger = createSigner(["a key of somebody who can write to Redis"]);
beforeEach(() => {
  messages.length = 0;
});

const creationBy = (userId: string, title: string, more = {}) =>
  commandOf(userId, "todo.create", { title }, more);
const batchOf = (id: string, more = {}) => line.batchOf(id, creationBy("ada", id, more));
const titles = async () => {
  const { body } = await rest("GET", "/todos");
  return body.data.map(({ title }: { title: string }) => title).toSorted();
};
const metricsOf = async ({ workerPort }: Config) =>
  (await fetch(`http://127.0.0.1:${workerPort}/metrics`)).text();
/** Settings of a queue without workers. */
const alone = async () => loadConfig({ ...(await testEnvironment()), WORKER_PORT: String(freePort()) });
const toolCall = (startedAt = Date.now()): Call => ({
  ...{ requestId: Bun.randomUUIDv7(), tokenId: "t", clientName: null },
  ...{ tool: "create-todo", arguments: "{}", startedAt },
});

test("a forged reply, and a worker's reply to another door, answer nobody", async () => {
  // No worker takes jobs of this queue.
  const own = { ...config, queuePrefix: `${config.queuePrefix}-forged` };
  const [victim, other] = [await openOwnMailbox(own), await openOwnMailbox(own)];
  const seen: CommandBatch[] = [];
  const forger = new Worker(commandQueue.name, async ({ data }) => void seen.push(data), {
    connection,
    prefix: `{${own.queuePrefix}}`,
  });
  afterAll(async () => {
    await Promise.all([victim.close(), other.close(), forger.close(true)]);
  });
  const sent = [victim.send(creationBy("ada", "told to be done")), other.send(creationBy("ada", "done"))];
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
  expect(await metricsOf(config)).toContain('kept_batches_refused_total{reason="signature"} 6\n');
  expect(readBatch(JSON.parse(JSON.stringify(signed)), signer)).toBeDefined();
});

test("a signed job that somebody repeats, at once or later, changes nothing twice", async () => {
  const call = { ...toolCall(), door: "rest", tool: "todo.create" };
  const sentAt = Date.now() + 30_000; // None but the last may be late, however busy the machine is.
  const jobs = [
    batchOf("once", { sentAt }),
    batchOf("with a key", { sentAt, fingerprint: "f" }),
    batchOf("by a call", { sentAt, call }),
    batchOf("late", { sentAt: Date.now() - 60_000 }),
  ];
  for (const _ of [1, 2, 3]) for (const job of jobs) await add(job);
  // A worker that waits for a locked key says at once, in a message without replies, that it has the batch.
  await eventually(() => messages.flatMap(({ replies }) => replies).length === 12);
  expect(await titles()).toEqual(["by a call", "once", "signed", "with a key"]);
});

test("a worker refuses what is no batch of its version, whatever does not fit, and runs what fits", async () => {
  const misfits = {
    version: { ...batchOf("version"), v: 99, commands: "in another format" },
    unversioned: { ...batchOf("unversioned"), v: undefined },
    command: {
      ...batchOf("command"),
      commands: [{ ...creationBy("ada", "x"), ticket: 1, name: "todo.paint" }],
    },
    field: { ...batchOf("field"), commands: [{ ...creationBy("ada", "x"), ticket: "1" }] },
  };
  for (const [id, batch] of Object.entries(misfits)) {
    await add(batch);
    await eventually(() => messages.length === 1);
    expect(messages.splice(0)).toEqual([{ refusedBatch: id, replies: [], signature: expect.any(String) }]);
  }
  await add({ without: "address" });
  await add(line.batchOf("fits", creationBy("bob", "Written")));
  await eventually(() => messages.length === 1);
  const body = expect.objectContaining({ title: "Written", id: expect.any(Number) });
  expect(messages).toEqual([
    {
      ...{ v: batchVersion, batchId: "fits", signature: expect.any(String) },
      replies: [{ ticket: 1, outcome: { body }, replayed: false }],
    },
  ]);
});

test("the replies to tool calls state the user's day, those to other commands do not", async () => {
  const call = toolCall();
  const acceptedAt = Date.parse("2026-03-04T05:06:07Z");
  const commands = [
    creationBy("carol", "x", { acceptedAt, call }),
    commandOf("carol", "todo.delete", { id: 999 }, { acceptedAt, call }),
    commandOf("carol", "action.record", { call, outcome: "ok" }, { acceptedAt }),
    creationBy("carol", "y", { acceptedAt }),
  ];
  const numbered = commands.map((command, index) => ({ ...command, ticket: index + 1 }));
  await add({ ...batchOf("calls"), commands: numbered });
  await eventually(() => messages.length === 1);
  const today = { date: "2026-03-04", timeZone: "UTC" };
  const { replies } = messages[0] as Replies;
  expect(replies.map((reply) => reply.today)).toEqual([today, today, today, undefined]);
});

test("tool calls whose job comes again have one row each, also at a time that PostgreSQL does not accept", async () => {
  const record = (tool: string) =>
    commandOf("dora", "action.record", { call: { ...toolCall(), tool }, outcome: "ok" });
  const create = (tool: string) =>
    creationBy("dora", tool, { call: { ...toolCall(Date.now() - 3_600_000), tool } });
  const first = [record("read"), create("change")];
  const all = [...first, record("another read"), create("another change")];
  for (const commands of [first, ...first.map((one) => [one]), all]) {
    await add({ ...batchOf("calls"), commands: commands.map((one, ticket) => ({ ...one, ticket })) });
    await eventually(() => messages.length === 1);
    const [{ replies }] = messages.splice(0) as [Replies];
    const told = replies.map(({ ticket, outcome, replayed }) => [ticket, "body" in outcome, replayed]);
    // A read has nothing that could be replayed.
    const isReplayed = (one: object) => commands !== first && one === first[1];
    expect(told).toEqual(commands.map((one, ticket) => [ticket, true, isReplayed(one)]));
  }
  const rows = await loggedCalls(config.databaseUrl, "dora");
  expect(rows.map(({ tool, outcome, replayed }) => [tool, outcome, replayed])).toEqual(
    ["read", "change", "another read", "another change"].map((tool) => [tool, "ok", false]),
  );
});

test("a worker leaves a redelivered batch of another version unanswered: it may have been run", async () => {
  const own = await alone();
  const { queue, add, messages, connection, prefix, batchOf } = await openLine(own);
  await add({ ...batchOf("again", creationBy("ada", "x")), v: 99 });
  const dying = new Worker(commandQueue.name, null, { connection, prefix, lockDuration: 500 });
  expect(await dying.getNextJob("token")).toBeDefined();
  await dying.close(true);
  const workers = await startWorkers({ config: own, log: createLog("test", "silent") });
  afterAll(workers.stop);
  await eventually(async () => (await queue.getJobCountByTypes("waiting", "active")) === 0);
  await add(batchOf("after it", creationBy("ada", "y")));
  await eventually(() => messages.length > 0);
  expect(messages).toMatchObject([{ batchId: "after it" }]);
  const metrics = await metricsOf(own);
  expect(metrics).toContain('kept_jobs_redelivered_total{queue="commands"} 1\n');
  expect(metrics).toContain('kept_batches_refused_total{reason="format"} 1\n');
});

test("a front door takes a reply of another version for none, and a refusal for its commands' own", async () => {
  const own = await alone();
  const { signer, producer, connection, prefix } = await openLine(own);
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
    { connection, prefix },
  );
  const mailbox = await openOwnMailbox(own);
  afterAll(async () => {
    await mailbox.close();
    await worker.close(true);
  });
  const first = mailbox.send(creationBy("ada", "x"));
  await eventually(() => answered.length === 1);
  expect(await Promise.all([first, mailbox.send(creationBy("bob", "y"))])).toEqual([
    "unanswered",
    "undelivered",
  ]);
  expect(answered).toHaveLength(2);
});
