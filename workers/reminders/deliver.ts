import type { Pool } from "pg";
import type { ReminderChannel } from "../../shared/domain/vocabulary.ts";
import type { Log } from "../../shared/process/log.ts";
import { type Channel, failed } from "./channels/channel.ts";
import type { DeliveryKeys } from "./jobs.ts";
import { begin, type Delivery, renewLeaseEveryMs, renewLeases } from "./lease.ts";
import { createMarker } from "./mark.ts";
import { createSlowTargets } from "./slow-targets.ts";

export type DelivererContext = Readonly<{
  pool: Pool;
  log: Log;
  travel(): string;
  channels: Record<ReminderChannel, Channel>;
}>;

export type Deliverer = Readonly<{
  /** Begins the deliveries of one job; resolves when they are under way, not when they are through. */
  deliver(keys: DeliveryKeys): Promise<void>;
  /** Waits for what is under way; what takes too long is left to another process. */
  stop(): Promise<void>;
}>;

/** Sends at once; a slow receiver holds up only its own deliveries until this many wait. */
const maxUnderWay = 300;
const stopWithinMs = 8_000;

/** Sends deliveries and marks what became of them. Postgres knows them as `sending` until they are marked. */
export function createDeliverer(context: DelivererContext): Deliverer {
  const { pool, log, travel, channels } = context;
  const underWay = new Map<string, Delivery>();
  const targets = createSlowTargets();
  const marker = createMarker(context, ({ delivery }) => underWay.delete(delivery.id));
  const heartbeat = setInterval(() => {
    const keys = { users: [...underWay.values()].map(({ user_id }) => user_id), ids: [...underWay.keys()] };
    if (underWay.size > 0) renewLeases(pool, travel(), keys).catch(() => {});
  }, renewLeaseEveryMs);

  async function send(delivery: Delivery): Promise<void> {
    if (!targets.enter(delivery)) return marker.add({ delivery, sent: "no room" });
    const from = performance.now();
    const sent = await channels[delivery.channel].send(delivery).catch((error) => failed(String(error)));
    targets.leave(delivery, performance.now() - from);
    if (!sent.ok) log.warn({ delivery: delivery.id, reason: sent.reason }, "reminder not delivered");
    marker.add({ delivery, sent });
  }

  return {
    async deliver(keys) {
      while (underWay.size >= maxUnderWay) await Bun.sleep(10);
      for (const delivery of await begin(pool, travel(), keys)) {
        underWay.set(delivery.id, delivery);
        void send(delivery);
      }
    },
    async stop() {
      const deadline = performance.now() + stopWithinMs;
      while (underWay.size > 0 && performance.now() < deadline) await Bun.sleep(10);
      clearInterval(heartbeat);
      marker.stop();
      for (const channel of Object.values(channels)) channel.close();
    },
  };
}
