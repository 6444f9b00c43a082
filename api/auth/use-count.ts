import { LRUCache } from "lru-cache";
import { isRefused } from "../../shared/errors.ts";
import type { Actor } from "../mailbox/actor.ts";
import type { Dispatch } from "../mailbox/dispatch.ts";

const writeEveryMs = 300_000;
/** So many reads of a token are written at once. */
const mostReads = 100;
/** Pairs of a token and a network; the one that was used longest ago is written to make room. */
const mostPairs = 10_000;
/** The commands that are under way at a time. */
const atOnce = 50;

/** A token in a network, and the reads that the journal does not know yet. */
type Use = Readonly<{ actor: Actor; network: string }> & { reads: number; isWritten: boolean };

export type UseCount = ReturnType<typeof createUseCount>;

/**
 * Counts in memory what tokens do, so that a read costs a look into a map. The account journal learns of a new network
 * at once, and of reads by the hundred and every five minutes; a door that is killed loses those since.
 */
export function createUseCount(dispatch: Dispatch) {
  const uses = new LRUCache<string, Use>({
    max: mostPairs,
    dispose: (use, _key, reason) => void (reason === "evict" && use.reads > 0 && write(use)),
  });

  async function write(use: Use): Promise<void> {
    const { actor, network, reads } = use;
    const input = { token_id: actor.tokenId, client_name: actor.clientName, network, reads };
    Object.assign(use, { reads: 0, isWritten: true });
    const { outcome } = await dispatch(actor, { name: "journal.count-use", input });
    if (isRefused(outcome) && outcome.refusal.applied === "no")
      Object.assign(use, { reads: use.reads + reads, isWritten: false });
  }

  async function writeAll(): Promise<void> {
    const waiting = [...uses.values()].filter(({ reads, isWritten }) => reads > 0 || !isWritten);
    for (let from = 0; from < waiting.length; from += atOnce)
      await Promise.all(waiting.slice(from, from + atOnce).map(write));
  }

  function begin(key: string, actor: Actor, network: string): Use {
    const use = { actor, network, reads: 0, isWritten: true };
    uses.set(key, use);
    void write(use);
    return use;
  }

  const timer = setInterval(() => void writeAll(), writeEveryMs);
  return {
    /** Counts a request of a token; `isRead` if it read over REST. */
    note(actor: Actor, network: string, isRead: boolean): void {
      const key = `${actor.userId} ${actor.tokenId} ${network}`;
      const use = uses.get(key) ?? begin(key, actor, network);
      if (isRead) use.reads += 1;
      if (use.reads === mostReads) void write(use);
    },
    stop(): Promise<void> {
      clearInterval(timer);
      return writeAll();
    },
  };
}
