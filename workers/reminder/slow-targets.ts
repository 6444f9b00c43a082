import { channels } from "../../shared/domain/reminder/channels.ts";
import { createTurns } from "../../shared/process/turns.ts";
import type { LeasedDelivery } from "./lease.ts";

/** @returns "busy" when no turn at the target is free */
type SendTo = <Result>(target: string, send: () => Promise<Result>) => Promise<Result | "busy">;

const slowMs = 2_000;
const maxAtSlowTarget = 20;

/**
 * Keeps unresponsive receivers from taking all turns: a target whose last answer was slow gets only a few. A target
 * is the host of an address, or the channel as a whole.
 */
export function createSlowTargets(): SendTo {
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
export function targetOfReminder(delivery: LeasedDelivery): string {
  const { channel, browsers } = delivery;
  const [target] = channels[channel].targets ?? [];
  const addresses = target ? [delivery[target.column]] : (browsers ?? []).map(({ endpoint }) => endpoint);
  const hosts = new Set(addresses.map((address) => URL.parse(address ?? "")?.host ?? channel));
  return [...hosts].sort().join() || channel;
}
