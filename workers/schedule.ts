import { Queue, Worker } from "bullmq";
import { keyPrefix } from "../shared/queue/queues.ts";
import type { WorkerContext } from "./context.ts";

const watchEveryMs = 1_000;

/**
 * Runs a task every so often, once over all worker processes, by a BullMQ job scheduler. Every process
 * registers it and looks after it: Redis may be wiped at any moment.
 */
export async function startSchedule(
  { config, log, publisher, blocking }: WorkerContext,
  { name, everyMs, run }: { name: string; everyMs: number; run(): Promise<void> },
): Promise<{ stop(): Promise<void> }> {
  const prefix = keyPrefix(config.queuePrefix);
  const finished = { removeOnComplete: true, removeOnFail: true };
  const queue = new Queue(name, {
    connection: publisher,
    prefix,
    skipWaitingForReady: true,
    skipVersionCheck: true,
  });
  const worker = new Worker(name, run, {
    connection: blocking,
    prefix,
    skipVersionCheck: true,
    lockDuration: 5_000,
    stalledInterval: 2_500,
    maxStalledCount: 100,
  });
  queue.on("error", () => {});
  worker.on("error", (error) => log.debug({ schedule: name, reason: error.message }, "queue unavailable"));
  worker.on("failed", (_job, error) => log.warn({ schedule: name, reason: error.message }, "run failed"));
  const register = async () => {
    if (await queue.getJobScheduler(name)) return;
    await queue.upsertJobScheduler(name, { every: everyMs }, { name, opts: finished });
  };
  const watch = setInterval(() => void register().catch(() => {}), watchEveryMs);
  await register().catch(() => {});
  return {
    async stop() {
      clearInterval(watch);
      await worker.close();
      await queue.close();
    },
  };
}
