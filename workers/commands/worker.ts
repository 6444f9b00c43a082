import { Worker } from "bullmq";
import type { CommandBatch, Replies, Reply } from "../../shared/queue/batch.ts";
import { commandQueue, keyPrefix, pollSeconds } from "../../shared/queue/connections.ts";
import type { WorkerContext } from "../context.ts";
import { createQuotas } from "../unit-of-work/quotas.ts";
import { describeTables } from "../unit-of-work/tables.ts";
import { type BatchContext, processBatch } from "./batch.ts";
import { type ReceivedCommand, runCommands } from "./retries.ts";
import { createRetryQueue } from "./retry-queue.ts";
import { createSlowQueue } from "./slow-queue.ts";

/** Takes batches off the queue, carries their commands out and answers the front doors. */
export function startCommands({ config, log, database, publisher, blocking }: WorkerContext): {
  stop(): Promise<void>;
} {
  const reply: BatchContext["reply"] = ({ id, replyTo }, replies) => {
    const message: Replies = { batchId: id, replies };
    // A reply that is lost here is found in the inbox by the front door that waits for it.
    return publisher.publish(replyTo, JSON.stringify(message)).catch(() => undefined);
  };
  const slowQueue = createSlowQueue();
  const retryQueue = createRetryQueue({
    run: (received) => runCommands(context, received, "skip"),
    reply: (replies) => Promise.all([...byBatch(replies)].map(([batch, some]) => reply(batch, some))),
  });
  const context: BatchContext = {
    pool: database.pool,
    tables: describeTables(database.orm),
    quotas: createQuotas(),
    config,
    log,
    slowQueue,
    retryQueue,
    reply,
  };
  const worker = new Worker<CommandBatch>(
    commandQueue,
    (job) => processBatch(context, job.data, job.attemptsStarted > 1),
    {
      connection: blocking,
      prefix: keyPrefix(config.queuePrefix),
      concurrency: config.workerConcurrency,
      drainDelay: pollSeconds,
      // A waited command cannot wait for BullMQ's 30 s when its worker is killed.
      lockDuration: 3_000,
      stalledInterval: 1_500,
      maxStalledCount: 100,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 100 },
      skipVersionCheck: true,
    },
  );
  worker.on("error", (error) => log.warn({ reason: error.message }, "queue unavailable"));
  return {
    async stop() {
      await worker.close();
      await Promise.all([retryQueue.drained(), slowQueue.drained()]);
    },
  };
}

function byBatch(
  replies: readonly (readonly [ReceivedCommand, Reply])[],
): Map<ReceivedCommand["batch"], Reply[]> {
  const grouped = new Map<ReceivedCommand["batch"], Reply[]>();
  for (const [{ batch }, reply] of replies) grouped.set(batch, [...(grouped.get(batch) ?? []), reply]);
  return grouped;
}
