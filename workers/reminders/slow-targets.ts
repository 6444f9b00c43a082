import type { Delivery } from "./lease.ts";

export type SlowTargets = Readonly<{
  /** Whether there is room at the delivery's target; if so, it is taken until `leave`. */
  enter(delivery: Delivery): boolean;
  leave(delivery: Delivery, tookMs: number): void;
}>;

const slowMs = 2_000;
const maxAtSlowTarget = 20;

/**
 * Keeps a receiver that does not answer from filling all places: a target whose last answer took long has
 * few of them. A target is a webhook's host, or the mail server.
 */
export function createSlowTargets(): SlowTargets {
  const slow = new Set<string>();
  const underWay = new Map<string, number>();
  return {
    enter(delivery) {
      const target = targetOf(delivery);
      const count = underWay.get(target) ?? 0;
      if (slow.has(target) && count >= maxAtSlowTarget) return false;
      underWay.set(target, count + 1);
      return true;
    },
    leave(delivery, tookMs) {
      const target = targetOf(delivery);
      const count = (underWay.get(target) ?? 1) - 1;
      if (count > 0) underWay.set(target, count);
      else underWay.delete(target);
      if (tookMs >= slowMs) slow.add(target);
      else slow.delete(target);
    },
  };
}

const targetOf = ({ channel, webhook_url }: Delivery): string =>
  channel === "webhook" && webhook_url !== null ? new URL(webhook_url).host : channel;
