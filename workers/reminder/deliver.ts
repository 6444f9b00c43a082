import type { ReminderChannel } from "../../shared/domain/reminder/channels.ts";
import type { Log } from "../../shared/process/observe/log.ts";
import { type Channel, sendFailed } from "./channels/channel.ts";
import type { Message } from "./channels/message.ts";
import type { DeliveryKeys } from "./jobs.ts";
import { type LeasedDelivery, leaseDeliveries, renewLeaseEveryMs, renewLeases } from "./lease.ts";
import type { ReminderMetrics } from "./reminder-metrics.ts";
import { createResultWriter } from "./result-writer.ts";
import { createSlowTargets, targetOfReminder } from "./slow-targets.ts";
import type { ReminderStore } from "./store.ts";

type DelivererContext = Readonly<{
  database: ReminderStore["database"];
  log: Log;
  travel(): string;
  channels: Record<ReminderChannel, Channel>;
  compose(delivery: LeasedDelivery): Promise<Message>;
  metrics: ReminderMetrics;
}>;

type Deliverer = Readonly<{
  /** Starts the deliveries of one job. Resolves when they have started, not finished. */
  deliver(keys: DeliveryKeys): Promise<void>;
  /** Waits for deliveries under way; slow ones are left to another process. */
  stop(): Promise<void>;
}>;

/** A slow receiver delays only its own deliveries, until this many are under way. */
const maxUnderWay = 300;
const stopWithinMs = 8_000;

/** Sends deliveries and writes their results. In PostgreSQL they are `sending` until the result is written. */
export function createDeliverer(context: DelivererContext): Deliverer {
  const { database, log, travel, channels, compose, metrics } = context;
  const underWay = new Map<string, LeasedDelivery>();
  const sendTo = createSlowTargets();
  const results = createResultWriter(context, ({ delivery }) => underWay.delete(delivery.id));
  const heartbeat = setInterval(() => {
    const keys = { users: [...underWay.values()].map(({ user_id }) => user_id), ids: [...underWay.keys()] };
    if (underWay.size > 0) renewLeases({ database, travel: travel() }, keys).catch(() => {});
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
    async deliver(keys) {
      while (underWay.size >= maxUnderWay) await Bun.sleep(10);
      for (const delivery of await leaseDeliveries({ database, travel: travel() }, keys)) {
        underWay.set(delivery.id, delivery);
        void send(delivery);
      }
    },
    async stop() {
      const deadline = performance.now() + stopWithinMs;
      while (underWay.size > 0 && performance.now() < deadline) await Bun.sleep(10);
      clearInterval(heartbeat);
      results.stop();
      for (const channel of Object.values(channels)) channel.close();
    },
  };
}
