import { channels } from "../../shared/domain/reminder/channels.ts";
import type { LeasedDelivery } from "./lease.ts";

type SlowTargets = Readonly<{
  /**
   * Takes a turn at a target until `leave`.
   * @returns false when no turn is free
   */
  enter(target: string): boolean;
  leave(target: string, tookMs: number): void;
}>;

const slowMs = 2_000;
const maxAtSlowTarget = 20;

/**
 * Keeps unresponsive receivers from taking all turns: a target whose last answer was slow gets only a few. A target
 * is the host of an address, or the channel as a whole.
 */
export function createSlowTargets(): SlowTargets {
  const slow = new Set<string>();
  const underWay = new Map<string, number>();
  return {
    enter(target) {
      const count = underWay.get(target) ?? 0;
      if (slow.has(target) && count >= maxAtSlowTarget) return false;
      underWay.set(target, count + 1);
      return true;
    },
    leave(target, tookMs) {
      const count = (underWay.get(target) ?? 1) - 1;
      if (count > 0) underWay.set(target, count);
      else underWay.delete(target);
      if (tookMs >= slowMs) slow.add(target);
      else slow.delete(target);
    },
  };
}

/** Browsers have several hosts: a slow host that a person named slows only people with the same hosts. */
export function targetOfReminder(delivery: LeasedDelivery): string {
  const { channel, browsers } = delivery;
  const [target] = channels[channel].targets ?? [];
  const addresses = target ? [delivery[target.column]] : (browsers ?? []).map(({ endpoint }) => endpoint);
  const hosts = new Set(addresses.map((address) => URL.parse(address ?? "")?.host ?? channel));
  return [...hosts].sort().join() || channel;
}
