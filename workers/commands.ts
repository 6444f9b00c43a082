import { Worker } from "bullmq";
import type { Envelope, Replies } from "../shared/queue/envelope.ts";
import { commandQueue, keyPrefix } from "../shared/queue/queues.ts";
import type { WorkerContext } from "./context.ts";
import { type EnvelopeContext, processEnvelope } from "./envelope.ts";
import { createIds } from "./unit-of-work/ids.ts";
import { describeTables } from "./unit-of-work/tables.ts";
import { createWaitingRoom } from "./waiting-room.ts";

/** Takes envelopes off the queue, carries their commands out and answers the front doors. */
export function startCommands({ config, log, database, publisher, blocking }: WorkerContext): {
  stop(): Promise<void>;
} {
  const waitingRoom = createWaitingRoom();
  const context: EnvelopeContext = {
    pool: database.pool,
    tables: describeTables(database.orm),
    reserveIds: createIds(database.pool),
    config,
    log,
    waitingRoom,
    reply: ({ id, replyTo }, replies) => {
      const message: Replies = { envelopeId: id, replies };
      // A reply that is lost here is found in the inbox by the front door that waits for it.
      return publisher.publish(replyTo, JSON.stringify(message)).catch(() => undefined);
    },
  };
  const worker = new Worker<Envelope>(commandQueue, (job) => processEnvelope(context, job.data), {
    connection: blocking,
    prefix: keyPrefix(config.queuePrefix),
    concurrency: config.workerConcurrency,
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
      await waitingRoom.emptied();
    },
  };
}
