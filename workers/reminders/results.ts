import type { Sent } from "./channels/channel.ts";
import type { Delivery } from "./lease.ts";
import type { Outcome } from "./result-writer.ts";
import { retryAfterMs } from "./retry.ts";
import type { WebhookAttempt } from "./webhook-health.ts";

/** One delivery's turn: what the channel said, or that its target had no room. */
export type Attempt = Readonly<{ delivery: Delivery; sent: Sent | "no room" }>;

const noRoomMs = 10_000;

export function outcomeOf({ delivery, sent }: Attempt): Outcome {
  const { user_id: userId, id, todo, attempts } = delivery;
  if (sent === "no room") {
    const againInMs = noRoomMs * (1 + Math.random());
    return { userId, id, againInMs, status: "postponed", error: null };
  }
  if (sent.ok) return { userId, id, againInMs: 0, status: "sent", error: null };
  const again = sent.final || todo === null ? undefined : retryAfterMs(attempts);
  if (again === undefined) return { userId, id, againInMs: 0, status: "failed", error: sent.reason };
  return { userId, id, againInMs: again, status: "retrying", error: sent.reason };
}

/**
 * What never left this process says nothing about the receiver, nor does a success among successes. A test that fails
 * is what tests are for: it brings the webhook no nearer to being switched off.
 */
export function webhookAttempt({ delivery, sent }: Attempt): WebhookAttempt[] {
  const { channel, user_id: userId, webhook_failures: failures, todo } = delivery;
  if (channel !== "webhook" || sent === "no room") return [];
  const tells = sent.ok ? failures > 0 : !sent.final && todo !== null;
  return tells ? [{ userId, ok: sent.ok }] : [];
}
