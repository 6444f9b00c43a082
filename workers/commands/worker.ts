import { commandQueue } from "../../shared/queue/queues.ts";
import { openSigner } from "../../shared/queue/signature.ts";
import type { WorkerContext } from "../process/context.ts";
import { openWorker } from "../process/job-worker.ts";
import { createQuotas } from "../unit-of-work/new-rows.ts";
import { describeTables } from "../unit-of-work/tables.ts";
import { startAccountBytes } from "../upkeep/account-bytes.ts";
import { createPartitionMaker } from "../upkeep/partitions.ts";
import { createApartTurns } from "./apart.ts";
import { type BatchContext, takeBatch } from "./batch.ts";
import { createCommandMetrics } from "./metrics.ts";
import { createAnswering, openAnnouncing } from "./reply.ts";
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
