import { openReminderSecrets } from "../../shared/db/reminder-secrets.ts";
import type { ReminderChannel } from "../../shared/domain/reminder/channels.ts";
import { deliveryQueue, openQueue } from "../../shared/queue/queues.ts";
import type { WorkerContext } from "../process/context.ts";
import { openWorker } from "../process/job-worker.ts";
import { startSchedule } from "../process/schedule.ts";
import type { Channel } from "./channels/channel.ts";
import { createEmailChannel } from "./channels/email.ts";
import { forgetBrowsers } from "./channels/forget-browsers.ts";
import { createLogChannel } from "./channels/log.ts";
import { messageOf } from "./channels/message.ts";
import { createNtfyChannel } from "./channels/ntfy.ts";
import { createPushChannel } from "./channels/push.ts";
import { createTelegramChannel } from "./channels/telegram.ts";
import { createWebhookChannel } from "./channels/webhook.ts";
import { watchJumps } from "./clock-jumps.ts";
import { createDeliverer } from "./deliver.ts";
import type { DeliveryKeys } from "./jobs.ts";
import type { LeasedDelivery } from "./lease.ts";
import { createReminderMetrics } from "./reminder-metrics.ts";
import { runTick } from "./tick.ts";

const tickEveryMs = 1_000;

const jobsAtOnce = 4;

/** Starts this process's share of the reminders: the tick that queues due ones, and their delivery. */
export async function startReminders(context: WorkerContext): Promise<{ stop(): Promise<void> }> {
  const { config, log, travel, database, publisher, blocking, registry, jobMetrics, watch } = context;
  const { queuePrefix, defaultTimeZone } = config;
  const queue = openQueue<DeliveryKeys>(deliveryQueue, { connection: publisher, queuePrefix });
  const metrics = createReminderMetrics(registry);
  const deliverer = createDeliverer({ database, log, travel, metrics, ...(await openChannels(context)) });
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
    run: () => runTick({ database, queue, travel, defaultTimeZone, log, hasJumped }),
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

async function openChannels({ config, log, database }: WorkerContext) {
  const { linkKeys, pushKeys } = openReminderSecrets(database.pool);
  const forget = (userId: string, ids: readonly string[]) => forgetBrowsers(database, userId, ids);
  const channels: Record<ReminderChannel, Channel> = {
    log: createLogChannel(log, config.defaultTimeZone),
    email: await createEmailChannel(config),
    push: createPushChannel({ config, pushKeys, forget }),
    ntfy: createNtfyChannel(config),
    telegram: createTelegramChannel(config),
    webhook: createWebhookChannel(config),
  };
  const compose = async (delivery: LeasedDelivery) => messageOf(delivery, config, await linkKeys());
  return { channels, compose };
}
