import { Worker } from "bullmq";
import type { Config } from "../shared/config.ts";
import { openDatabase } from "../shared/db/orm.ts";
import type { Log } from "../shared/log.ts";
import type { Envelope, Replies } from "../shared/queue/envelope.ts";
import { commandQueue, connectImpatient, connectPatient, keyPrefix } from "../shared/queue/queues.ts";
import { type EnvelopeContext, processEnvelope } from "./envelope.ts";
import { createIds } from "./unit-of-work/ids.ts";
import { describeTables } from "./unit-of-work/tables.ts";

/** Starts one worker process's share of the work: it takes envelopes off the queue until stopped. */
export async function startWorkers({
  config,
  log,
}: {
  config: Config;
  log: Log;
}): Promise<{ stop(): Promise<void> }> {
  const { databaseUrl, redisUrl, queuePrefix, workerConcurrency } = config;
  const database = await openDatabase({
    url: databaseUrl,
    log,
    purpose: "writes",
    connections: workerConcurrency * 2,
  });
  const publisher = connectImpatient(redisUrl);
  const blocking = connectPatient(redisUrl);
  const context: EnvelopeContext = {
    pool: database.pool,
    tables: describeTables(database.orm),
    reserveIds: createIds(database.pool),
    config,
    log,
    reply: ({ id, replyTo }, replies) => {
      const message: Replies = { envelopeId: id, replies };
      // A reply that is lost here is found in the inbox by the front door that waits for it.
      return publisher.publish(replyTo, JSON.stringify(message)).catch(() => undefined);
    },
  };
  const worker = new Worker<Envelope>(commandQueue, (job) => processEnvelope(context, job.data), {
    connection: blocking,
    prefix: keyPrefix(queuePrefix),
    concurrency: workerConcurrency,
    // A waited command cannot wait for BullMQ's 30 s when its worker is killed.
    lockDuration: 3_000,
    stalledInterval: 1_500,
    maxStalledCount: 100,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 100 },
    skipVersionCheck: true,
  });
  worker.on("error", (error) => log.warn({ reason: error.message }, "queue unavailable"));
  return {
    async stop() {
      await worker.close();
      publisher.disconnect();
      blocking.disconnect();
      await database.close();
    },
  };
}
