import { LRUCache } from "lru-cache";
import { isRefused } from "../../shared/errors.ts";
import type { Actor } from "../mailbox/actor.ts";
import type { Dispatch } from "../mailbox/dispatch.ts";

const writeEveryMs = 20_000;
/** Pairs of a token and a network that are known; reads of further ones are counted once others are written. */
const mostPairs = 10_000;
/** The commands that are under way at a time. */
const atOnce = 50;

type Use = Readonly<{ actor: Actor; network: string; reads: number }>;

export type UseCount = Readonly<{
  /** Counts a request of a token; `isRead` if it read over REST. */
  note(actor: Actor, network: string, isRead: boolean): void;
  stop(): Promise<void>;
}>;

/**
 * Counts in memory what tokens do, so that a read costs a look into two maps. The account journal learns of a new
 * network at once and of reads a few times a minute; a door that is killed loses the last 20 seconds.
 */
export function createUseCount(dispatch: Dispatch): UseCount {
  const known = new LRUCache<string, true>({ max: mostPairs });
  let uses = new Map<string, Use>();

  async function write(key: string, use: Use): Promise<void> {
    const { actor, network, reads } = use;
    const { tokenId: token_id, clientName: client_name } = actor;
    const input = { token_id, client_name, network, reads };
    const { outcome } = await dispatch(actor, { name: "journal.count-use", input });
    if (!isRefused(outcome)) return;
    known.delete(key);
    if (outcome.refusal.applied === "no") count(key, use);
  }

  function count(key: string, use: Use): void {
    const reads = (uses.get(key)?.reads ?? 0) + use.reads;
    if (uses.has(key) || uses.size < mostPairs) uses.set(key, { ...use, reads });
  }

  async function writeAll(): Promise<void> {
    const waiting = [...uses];
    uses = new Map();
    for (let from = 0; from < waiting.length; from += atOnce)
      await Promise.all(waiting.slice(from, from + atOnce).map(([key, use]) => write(key, use)));
  }

  const timer = setInterval(() => void writeAll(), writeEveryMs);
  return {
    note(actor, network, isRead) {
      const key = `${actor.userId} ${actor.tokenId} ${network}`;
      if (isRead) count(key, { actor, network, reads: 1 });
      if (known.has(key)) return;
      known.set(key, true);
      void write(key, { actor, network, reads: 0 });
    },
    stop() {
      clearInterval(timer);
      return writeAll();
    },
  };
}
