import type { ChannelResult } from "./channels/channel.ts";
import { isTest, type LeasedDelivery } from "./lease.ts";
import { retryAfterMs } from "./retry.ts";
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
