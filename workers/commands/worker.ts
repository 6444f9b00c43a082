import type { Job } from "bullmq";
import { commands as contracts } from "../../shared/contracts/catalogue.ts";
import type { WorkRow } from "../../shared/db/entities.ts";
import type { Log } from "../../shared/process/observe/log.ts";
import type { Tracing } from "../../shared/process/observe/tracing.ts";
import { createTurns, type Turns } from "../../shared/process/turns.ts";
import {
  openSigner,
  type QueuedCommand,
  type Replies,
  readBatch,
  readBatchAddress,
  type Signer,
} from "../../shared/queue/batch.ts";
import { subscribe } from "../../shared/queue/connections.ts";
import { commandQueue } from "../../shared/queue/queues.ts";
import {
  changedChannel,
  readUsers,
  watchedChannel,
  watchedForMs,
  writeUsers,
} from "../../shared/queue/watched-users.ts";
import { startSchedule, type WorkerContext } from "../process/context.ts";
import { openWorker } from "../process/job-worker.ts";
import { type Queryable, takeTurn } from "../unit-of-work/connection.ts";
import { createQuotas } from "../unit-of-work/new-rows.ts";
import { describeTables } from "../unit-of-work/tables.ts";
import { startAccountBytes } from "../upkeep/account-bytes.ts";
import { createPartitionMaker } from "../upkeep/upkeep.ts";
import { type ApartContext, createApartTurns, runApart, runHeld } from "./apart.ts";
import { type CommandMetrics, codeOf, createCommandMetrics, endSpans, startSpan } from "./metrics.ts";
import { type Answered, type ReceivedBatch, type ReceivedCommand, requestOf } from "./received.ts";
import { carryOutStep } from "./transaction/carry-out.ts";
import { failureOf, internalFault } from "./transaction/retries.ts";
import { runCommands, type TransactionContext, transact } from "./transaction/transaction.ts";

/** Steps of different users run at the same time, each on a connection of its own. */
const stepsAtOnce = 2;
const everyMs = 1_000;
const lockTimeoutMs = 800;

type Options = Readonly<{
  context: TransactionContext;
  /** Tells a user's open pages about a change. */
  announce(change: { commands: readonly { userId: string }[] }): void;
}>;

/**
 * Carries out steps of long work: at once for work that this worker began, and at intervals for work that another
 * worker left.
 */
function startWorks(worker: Pick<WorkerContext, "log" | "watch">, { context, announce }: Options) {
  const { log, watch } = worker;
  /** Users take turns, one step each. A waiting user needs no second turn. */
  const turns = createTurns({ atOnce: stepsAtOnce, atOnceOfKey: 1, mostWaitingOfKey: 1 });
  let isStopping = false;

  /** @returns "none" also if another worker does the work, or the step must be retried later */
  async function takeStep(userId: string): Promise<"more" | "none"> {
    let work: WorkRow | undefined;
    try {
      return await transact(context, { queue: "works" }, async ({ connection }) => {
        work = await claim(connection, userId);
        const step = work && (await carryOutStep(context, connection, work));
        await connection.query(work ? "commit" : "rollback");
        if (step?.cursor === null) announce({ commands: [{ userId }] });
        return work ? "more" : "none";
      });
    } catch (error) {
      const failure = failureOf(error, false);
      const isLast = work !== undefined && failure.by !== "outage" && (await failed(context, work));
      log[isLast ? "error" : "warn"](
        { work: work?.name, reason: String(failure.cause) },
        isLast ? "long work given up" : "step failed",
      );
      return "none";
    }
  }

  async function carryOn(userId: string): Promise<void> {
    const step = async () => (isStopping ? "none" : watch.during("long work", () => takeStep(userId)));
    const next = await turns.run(userId, step, () => "none");
    if (next === "more") void carryOn(userId);
  }

  const look = async () => {
    for (const userId of await usersWithWork(context.pool)) void carryOn(userId);
  };
  const schedule = startSchedule(worker, { name: "works", everyMs, run: look });
  return {
    carryOn: (userId: string) => void carryOn(userId),
    async stop(): Promise<void> {
      isStopping = true;
      await schedule.stop();
      await turns.drained();
    },
  };
}

/** Begins a step. @returns the oldest work of the user, unless another worker has the user's turn */
async function claim(connection: Queryable, userId: string): Promise<WorkRow | undefined> {
  const [, , isFree] = await Promise.all([
    connection.query("begin"),
    connection.query(`set local lock_timeout = ${lockTimeoutMs}`),
    takeTurn(connection, userId),
  ]);
  if (!isFree) return undefined;
  const { rows } = await connection.query<WorkRow>(
    "select * from works where user_id = $1 and ended_at is null order by created_at, id limit 1",
    [userId],
  );
  return rows[0];
}

async function usersWithWork(connection: Queryable): Promise<string[]> {
  const { rows } = await connection.query<{ user_id: string }>(
    "select user_id from works where ended_at is null order by user_id limit $1",
    [100],
  );
  return rows.map(({ user_id }) => user_id);
}

const mostTries = 5;

/**
 * Notes a failed attempt. A step that never succeeds must not keep its user's other work waiting forever, so the last
 * one ends the work.
 * @returns whether it was the last
 */
async function failed({ pool }: TransactionContext, { user_id, id }: WorkRow): Promise<boolean> {
  const { rows } = await pool
    .query<{ is_last: boolean }>(
      `update works set tries = tries + 1, ended_at = case when tries + 1 >= ${mostTries} then now() end,
         outcome = case when tries + 1 >= ${mostTries} then $3 end
       where user_id = $1 and id = $2 and ended_at is null returning ended_at is not null as is_last`,
      [user_id, id, JSON.stringify(internalFault)],
    )
    .catch(() => ({ rows: [] }));
  return rows[0]?.is_last ?? false;
}

/** Sends replies to the front doors. A door that misses one looks into the inbox. */
function createAnswering(
  {
    log,
    publisher,
    tracing,
    signer,
  }: Pick<WorkerContext, "log" | "publisher" | "tracing"> & Readonly<{ signer: Signer }>,
  metrics: CommandMetrics,
  announce: (batch: ReceivedBatch) => void,
) {
  const isDebugging = log.isLevelEnabled("debug");
  const publish = (channel: string, message: object) =>
    publisher.publish(channel, JSON.stringify(message)).catch(() => undefined);
  return {
    /**
     * Tells the front door that no command of this batch is run. A batch that was delivered before stays unanswered,
     * because another worker may have run it; the front door then finds the replies in the inbox.
     */
    async refuseBatch(data: unknown, redelivered: boolean): Promise<void> {
      const reason = signer.verify(data) ? "format" : "signature";
      const address = readBatchAddress(data);
      metrics.refused(reason);
      log.warn({ event: `input_validation_fail:${reason}`, batch: address?.id }, "batch refused");
      if (!address || redelivered) return;
      // Doors of the releases before signatures understand this. A signed one for anybody's batch would help forgers.
      const refusal = { refusedBatch: address.id, replies: [] };
      await publish(address.replyTo, reason === "format" ? signer.sign(refusal) : refusal);
    },
    async reply(batch: ReceivedBatch, answered: Answered): Promise<void> {
      metrics.answered(answered);
      if (isDebugging) logAnswers(log, batch, answered);
      if (tracing) endSpans(answered);
      const replies: Replies = { v: batch.v, batchId: batch.id, replies: answered.map(([, reply]) => reply) };
      const sent = publish(batch.replyTo, signer.sign(replies));
      announce(batch);
      await sent;
    },
  };
}

function logAnswers(log: Log, { id: batch, receivedAt }: ReceivedBatch, answered: Answered) {
  const ms = Math.round(performance.now() - receivedAt);
  for (const [{ command }, { outcome, replayed }] of answered) {
    const request_id = requestOf(command)?.requestId;
    log.debug(
      { request_id, command: command.name, batch, outcome: codeOf(outcome), replayed, ms },
      "answered",
    );
  }
}

/** Listens for users with open pages, so that nothing is sent about others. */
async function openAnnouncing({
  config: { redisUrl, queuePrefix },
  publisher,
}: Pick<WorkerContext, "config" | "publisher">) {
  /** The times (of performance.now()) until which users count as watched. */
  const watched = new Map<string, number>();
  const subscription = await subscribe(redisUrl, watchedChannel(queuePrefix), {
    onMessage(text) {
      const now = performance.now();
      for (const userId of readUsers(text)) watched.set(userId, now + watchedForMs);
      for (const [userId, until] of watched) if (until < now) watched.delete(userId);
    },
  });
  return {
    /** Announces a commit for those users of a batch whose pages are open. */
    announce({ commands }: Readonly<{ commands: readonly Readonly<{ userId: string }>[] }>): void {
      if (watched.size === 0) return;
      const now = performance.now();
      const isWatched = (userId: string) => (watched.get(userId) ?? 0) > now;
      const users = new Set(commands.flatMap(({ userId }) => (isWatched(userId) ? userId : [])));
      // The announcement leaves together with the reply.
      if (users.size > 0) publisher.publish(changedChannel(queuePrefix), writeUsers(users)).catch(() => {});
    },
    close: subscription.close,
  };
}

/** Takes batches off the queue, runs their commands and answers the front doors. */
export async function startCommands(worker: WorkerContext): Promise<{ stop(): Promise<void> }> {
  const { config, log, security, database, blocking, registry, jobMetrics, watch, tracing } = worker;
  const metrics = createCommandMetrics(registry);
  const signer = await openSigner(database.pool);
  const announcing = await openAnnouncing(worker);
  const { reply, refuseBatch } = createAnswering({ ...worker, signer }, metrics, announcing.announce);
  const turns = createApartTurns();
  const { orm, pool } = database;
  const accountBytes = startAccountBytes(worker);
  const tables = describeTables(orm);
  const context: BatchContext = {
    ...{ pool, tables },
    accountBytes,
    openNewRows: createQuotas(),
    ...{ config, log, security },
    metrics,
    makePartitions: createPartitionMaker(pool, log),
    tracing,
    watch,
    turns,
    signer,
    reply,
    refuseBatch,
    carryOn: (userId) => works.carryOn(userId),
  };
  const works = startWorks(worker, { context, announce: announcing.announce });

  // Each slot has its own consumer, because a consumer with an idle slot asks Redis in vain for each job.
  const consume = () =>
    openWorker<unknown>(commandQueue, {
      connection: blocking,
      queuePrefix: config.queuePrefix,
      concurrency: 1,
      log,
      metrics: jobMetrics,
      watch,
      process: takeBatch.bind(undefined, context),
    });
  const consumers = Array.from({ length: config.workerConcurrency }, consume);
  return {
    async stop() {
      await Promise.all(consumers.map((consumer) => consumer.close()));
      await Promise.all([
        works.stop(),
        accountBytes.stop(),
        ...Object.values(turns).map((one) => one.drained()),
      ]);
      announcing.close();
    },
  };
}

type BatchContext = ApartContext &
  Pick<ReturnType<typeof createAnswering>, "refuseBatch"> &
  Readonly<{ signer: Signer; tracing?: Tracing | undefined }>;

type BatchJob = Pick<Job<unknown>, "data" | "attemptsStarted">;

/**
 * Runs the batch of a job and answers it. Never throws: every command is answered, with its committed outcome or with
 * `overloaded`. Commands that would delay the others follow outside of the batch: those on rows that another
 * transaction has locked, slow ones and groups.
 */
async function takeBatch(context: BatchContext, { data, attemptsStarted }: BatchJob): Promise<void> {
  const receivedAt = performance.now();
  const { tracing } = context;
  const redelivered = attemptsStarted > 1;
  const received = readBatch(data, context.signer);
  if (!received) return void (await context.refuseBatch(data, redelivered));
  context.metrics.received(received);
  const batch = { ...received, receivedAt };
  const together: ReceivedCommand[] = [];
  for (const command of batch.commands) {
    const span = tracing && startSpan(tracing, command, batch.commands.length);
    const one = { command, batch, repeat: redelivered, span };
    const turns = turnsOf(context, command);
    if (turns) void runApart(context, turns, one);
    else together.push(one);
  }
  const { replies, lockedElsewhere } = await runCommands(context, together, "skip");
  for (const held of Map.groupBy(lockedElsewhere, ({ command }) => command.userId).values())
    void runHeld(context, held);
  await context.reply(batch, replies);
}

/** @returns undefined for a command that needs no transaction of its own */
function turnsOf({ turns }: ApartContext, command: QueuedCommand): Turns | undefined {
  const { group } = command;
  const isSlow = (group?.operations ?? [command]).some(({ name }) => contracts[name].apart);
  if (isSlow) return turns.slow;
  return group && turns.groups;
}
