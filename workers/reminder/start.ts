import type { Pool } from "pg";
import { openReminderSecrets } from "../../shared/db/shared-secrets.ts";
import { channels, type ReminderChannel } from "../../shared/domain/reminder/channels.ts";
import type { Log } from "../../shared/process/observe/log.ts";
import { createTurns } from "../../shared/process/turns.ts";
import { deliveryQueue, openQueue } from "../../shared/queue/queues.ts";
import { startSchedule, type WorkerContext } from "../process/context.ts";
import { openWorker } from "../process/job-worker.ts";
import { type Channel, type Message, messageOf, sendFailed } from "./channels/channel.ts";
import { createEmailChannel } from "./channels/email.ts";
import { createLogChannel } from "./channels/log.ts";
import { createNtfyChannel } from "./channels/ntfy.ts";
import { createPushChannel } from "./channels/push.ts";
import { createTelegramChannel } from "./channels/telegram.ts";
import { createWebhookChannel } from "./channels/webhook.ts";
import { type LeasedDelivery, leaseDeliveries, renewLeaseEveryMs, renewLeases } from "./lease.ts";
import { createReminderMetrics, createResultWriter, type ReminderMetrics } from "./results.ts";
import type { DeliveryKeys, ReminderStore } from "./store.ts";
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
  const forget = async (userId: string, ids: readonly string[]) => {
    await database.pool.query(forgetBrowsers, [userId, ids]);
  };
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

const leastMs = 2_000;

/**
 * Tells whether PostgreSQL's clock has jumped within the time in which living processes renew their leases. A jump
 * ahead ends all leases at once, and taking those deliveries up would send them twice.
 */
function watchJumps(pool: Pick<Pool, "query">): () => Promise<boolean> {
  let offset: number | undefined;
  let jumpedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const { rows } = await pool.query<{ ms: number }>(
      "select (extract(epoch from now()) * 1000)::float8 as ms",
    );
    const found = Number(rows[0]?.ms) - performance.now();
    if (offset !== undefined && Math.abs(found - offset) > leastMs) jumpedAt = performance.now();
    offset = found;
    return performance.now() - jumpedAt < 2 * renewLeaseEveryMs;
  };
}

type DelivererContext = ReminderStore &
  Readonly<{
    log: Log;
    channels: Record<ReminderChannel, Channel>;
    compose(delivery: LeasedDelivery): Promise<Message>;
    metrics: ReminderMetrics;
  }>;

/** A slow receiver delays only its own deliveries, until this many are under way. */
const maxUnderWay = 300;
const stopWithinMs = 8_000;

/** Sends deliveries and writes their results. In PostgreSQL they are `sending` until the result is written. */
function createDeliverer(context: DelivererContext) {
  const { log, channels, compose, metrics } = context;
  const underWay = new Map<string, LeasedDelivery>();
  const sendTo = createSlowTargets();
  const results = createResultWriter(context, ({ delivery }) => underWay.delete(delivery.id));
  const heartbeat = setInterval(() => {
    const keys = { users: [...underWay.values()].map(({ user_id }) => user_id), ids: [...underWay.keys()] };
    if (underWay.size > 0) renewLeases(context, keys).catch(() => {});
  }, renewLeaseEveryMs);

  const sendNow = (delivery: LeasedDelivery) =>
    compose(delivery)
      .then((message) => channels[delivery.channel].send(delivery, message))
      .catch((error) => sendFailed("It could not be sent, because of a fault here.", false, String(error)));

  async function send(delivery: LeasedDelivery): Promise<void> {
    const from = performance.now();
    const result = await sendTo(targetOfReminder(delivery), () => sendNow(delivery));
    if (result !== "busy" && !result.ok) {
      const reason = result.detail ?? result.reason;
      log.warn({ delivery: delivery.id, reason }, "reminder not delivered");
    }
    metrics.attempted({ delivery, result }, (performance.now() - from) / 1_000);
    results.add({ delivery, result });
  }

  return {
    /** Starts the deliveries of one job. Resolves when they have started, not finished. */
    async deliver(keys: DeliveryKeys): Promise<void> {
      while (underWay.size >= maxUnderWay) await Bun.sleep(10);
      for (const delivery of await leaseDeliveries(context, keys)) {
        underWay.set(delivery.id, delivery);
        void send(delivery);
      }
    },
    /** Waits for deliveries under way; slow ones are left to another process. */
    async stop(): Promise<void> {
      const deadline = performance.now() + stopWithinMs;
      while (underWay.size > 0 && performance.now() < deadline) await Bun.sleep(10);
      clearInterval(heartbeat);
      results.stop();
      for (const channel of Object.values(channels)) channel.close();
    },
  };
}

/** Without any browser, reminders to browsers reach nobody, as when a person removes the last one. */
const forgetBrowsers = `
  with gone as (
    delete from push_subscriptions where user_id = $1 and id = any($2::uuid[])
  )
  update users set reminder_channel = 'log', updated_at = now()
  where user_id = $1 and reminder_channel = 'push' and not exists (
    select from push_subscriptions where user_id = $1 and id <> all($2::uuid[]))`;

/** @returns "busy" when no turn at the target is free */
type SendTo = <Result>(target: string, send: () => Promise<Result>) => Promise<Result | "busy">;

const slowMs = 2_000;
const maxAtSlowTarget = 20;

/**
 * Keeps unresponsive receivers from taking all turns: a target whose last answer was slow gets only a few. A target
 * is the host of an address, or the channel as a whole.
 */
function createSlowTargets(): SendTo {
  const slow = new Set<string>();
  const turns = createTurns({ atOnceOfKey: maxAtSlowTarget, mostWaiting: 0 });
  return (target, send) => {
    const timed = async () => {
      const from = performance.now();
      const result = await send();
      if (performance.now() - from >= slowMs) slow.add(target);
      else slow.delete(target);
      return result;
    };
    return slow.has(target) ? turns.run(target, timed, () => "busy" as const) : timed();
  };
}

/** Browsers have several hosts: a slow host that a person named slows only people with the same hosts. */
function targetOfReminder(delivery: LeasedDelivery): string {
  const { channel, browsers } = delivery;
  const [target] = channels[channel].targets ?? [];
  const addresses = target ? [delivery[target.column]] : (browsers ?? []).map(({ endpoint }) => endpoint);
  const hosts = new Set(addresses.map((address) => URL.parse(address ?? "")?.host ?? channel));
  return [...hosts].sort().join() || channel;
}
