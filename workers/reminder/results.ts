import type { ChannelResult } from "./channels/channel.ts";
import { isTest, type LeasedDelivery } from "./lease.ts";
import type { WebhookAttempt } from "./webhook-health.ts";

/** One attempt at a delivery: the channel's answer, or `busy` if its target had no room and nothing was sent. */
export type DeliveryAttempt = Readonly<{ delivery: LeasedDelivery; result: ChannelResult | "busy" }>;

/**
 * The result of an attempt. A tick repeats `retrying` and `postponed` after `againInMs`; a postponed delivery was not
 * sent and does not count as an attempt.
 */
type DeliveryResult = Readonly<{
  userId: string;
  id: string;
  status: "sent" | "unsent" | "failed" | "retrying" | "postponed";
  error: string | null;
  againInMs: number;
}>;

const busyAgainMs = 10_000;

const seconds = 1_000;
const minutes = 60 * seconds;

/** The waits after the first, second, … failed attempt: six attempts within an hour and a quarter. */
const waits = [5 * seconds, 30 * seconds, 2 * minutes, 10 * minutes, 60 * minutes];

/**
 * The wait after the given number of attempts, with up to a fifth more, so that deliveries that failed together do not
 * retry together.
 * @returns undefined when no further attempt is made
 */
function retryAfterMs(attempts: number): number | undefined {
  const wait = waits[attempts - 1];
  return wait === undefined ? undefined : wait * (1 + Math.random() / 5);
}

export function deliveryResult({ delivery, result }: DeliveryAttempt): DeliveryResult {
  const { user_id: userId, id, attempts, channel } = delivery;
  if (result === "busy") {
    const againInMs = busyAgainMs * (1 + Math.random());
    return { userId, id, againInMs, status: "postponed", error: null };
  }
  if (result.ok)
    return { userId, id, againInMs: 0, status: channel === "log" ? "unsent" : "sent", error: null };
  const again = result.final || isTest(delivery) ? undefined : retryAfterMs(attempts);
  if (again === undefined) return { userId, id, againInMs: 0, status: "failed", error: result.reason };
  return { userId, id, againInMs: again, status: "retrying", error: result.reason };
}

/**
 * Only attempts that reached the receiver count for the health of its webhook, and successes only after failures. A
 * failed test does not count: people test a webhook because it may fail.
 */
export function webhookAttempts({ delivery, result }: DeliveryAttempt): WebhookAttempt[] {
  const { channel, user_id: userId, webhook_failures: failures } = delivery;
  if (channel !== "webhook" || result === "busy") return [];
  const counts = result.ok ? failures > 0 : !result.final && !isTest(delivery);
  return counts ? [{ userId, ok: result.ok }] : [];
}
