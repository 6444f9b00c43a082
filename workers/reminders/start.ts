import { Queue, Worker } from "bullmq";
import type { ReminderChannel } from "../../shared/domain/vocabulary.ts";
import { keyPrefix, pollSeconds } from "../../shared/queue/connections.ts";
import type { WorkerContext } from "../context.ts";
import { startSchedule } from "../schedule.ts";
import type { Channel } from "./channels/channel.ts";
import { createEmailChannel } from "./channels/email.ts";
import { createLogChannel } from "./channels/log.ts";
import { createWebhookChannel } from "./channels/webhook.ts";
import { createDeliverer } from "./deliver.ts";
import { type DeliveryKeys, deliveryQueue } from "./jobs.ts";
import { runTick } from "./tick.ts";

const tickEveryMs = 1_000;

const jobsAtOnce = 4;

/** Starts this process's share of the reminders: the tick that queues what is due, and the delivery of it. */
export function startReminders(context: WorkerContext): { stop(): Promise<void> } {
  const { config, log, travel, database, publisher, blocking } = context;
  const { pool } = database;
  const connection = { prefix: keyPrefix(config.queuePrefix), skipVersionCheck: true };
  const queue = new Queue<DeliveryKeys>(deliveryQueue, {
    ...connection,
    connection: publisher,
    skipWaitingForReady: true,
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  queue.on("error", () => {});
  const deliverer = createDeliverer({ pool, log, travel, channels: openChannels(context) });
  const worker = new Worker<DeliveryKeys>(deliveryQueue, ({ data }) => deliverer.deliver(data), {
    ...connection,
    connection: blocking,
    concurrency: jobsAtOnce,
    drainDelay: pollSeconds,
    lockDuration: 5_000,
    stalledInterval: 2_500,
    maxStalledCount: 100,
  });
  worker.on("error", (error) => log.debug({ reason: error.message }, "queue unavailable"));
  worker.on("failed", (_job, error) => log.warn({ reason: error.message }, "deliveries not begun"));
  const schedule = startSchedule(log, {
    name: "reminders",
    everyMs: tickEveryMs,
    run: () => runTick({ pool, queue, travel }),
  });
  return {
    async stop() {
      await schedule.stop();
      await worker.close();
      await queue.close();
      await deliverer.stop();
    },
  };
}

const openChannels = ({ config, log }: WorkerContext): Record<ReminderChannel, Channel> => ({
  log: createLogChannel(log, config.defaultTimeZone),
  email: createEmailChannel(config),
  webhook: createWebhookChannel(config),
});
