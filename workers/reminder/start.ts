import type { ReminderChannel } from "../../shared/domain/reminder/channels.ts";
import { deliveryQueue, openQueue } from "../../shared/queue/queues.ts";
import type { WorkerContext } from "../process/context.ts";
import { openWorker } from "../process/job-worker.ts";
import { startSchedule } from "../process/schedule.ts";
import type { Channel } from "./channels/channel.ts";
import { createEmailChannel } from "./channels/email.ts";
import { createLogChannel } from "./channels/log.ts";
import { createWebhookChannel } from "./channels/webhook.ts";
import { watchJumps } from "./clock-jumps.ts";
import { createDeliverer } from "./deliver.ts";
import type { DeliveryKeys } from "./jobs.ts";
import { createReminderMetrics } from "./reminder-metrics.ts";
import { runTick } from "./tick.ts";

const tickEveryMs = 1_000;

const jobsAtOnce = 4;

/** Starts this process's share of the reminders: the tick that queues due ones, and their delivery. */
export function startReminders(context: WorkerContext): { stop(): Promise<void> } {
  const { config, log, travel, database, publisher, blocking, registry, jobMetrics, watch } = context;
  const { queuePrefix } = config;
  const queue = openQueue<DeliveryKeys>(deliveryQueue, { connection: publisher, queuePrefix });
  const metrics = createReminderMetrics(registry);
  const deliverer = createDeliverer({ database, log, travel, channels: openChannels(context), metrics });
  const worker = openWorker<DeliveryKeys>(deliveryQueue, {
    connection: blocking,
    queuePrefix,
    concurrency: jobsAtOnce,
    log,
    metrics: jobMetrics,
    watch,
    process: ({ data }) => deliverer.deliver(data),
  });
  const hasJumped = watchJumps(database.pool);
  const schedule = startSchedule(context, {
    name: "reminders",
    everyMs: tickEveryMs,
    run: () => runTick({ database, queue, travel, hasJumped }),
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
