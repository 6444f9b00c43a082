import type { Job } from "bullmq";
import { commands as contracts } from "../../shared/contracts/catalogue.ts";
import type { Tracing } from "../../shared/process/observe/tracing.ts";
import type { Turns } from "../../shared/process/turns.ts";
import { type QueuedCommand, readBatch } from "../../shared/queue/batch.ts";
import { commandQueue } from "../../shared/queue/queues.ts";
import { openSigner, type Signer } from "../../shared/queue/signature.ts";
import type { WorkerContext } from "../process/context.ts";
import { openWorker } from "../process/job-worker.ts";
import { createQuotas } from "../unit-of-work/new-rows.ts";
import { describeTables } from "../unit-of-work/tables.ts";
import { startAccountBytes } from "../upkeep/account-bytes.ts";
import { createPartitionMaker } from "../upkeep/partitions.ts";
import { type ApartContext, createApartTurns, runApart, runHeld } from "./apart.ts";
import { startSpan } from "./command-spans.ts";
import { createCommandMetrics } from "./metrics.ts";
import type { ReceivedCommand } from "./received.ts";
import { createAnswering, openAnnouncing } from "./reply.ts";
import { runCommands } from "./transaction/transaction.ts";
import { startWorks } from "./works.ts";

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
  Readonly<{
    signer: Signer;
    tracing?: Tracing | undefined;
    /** Tells the front door that no command of a batch is run. */
    refuseBatch(data: unknown, redelivered: boolean): Promise<unknown>;
  }>;

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
