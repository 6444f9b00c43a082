import type { Pending, Settled } from "./retries.ts";

/** Commands on rows or keys that another transaction holds: tried again, all together, until they are free or late. */
export type Deferred = Readonly<{
  /** @returns those for which there is no room */
  add(pending: readonly Pending[]): readonly Pending[];
  /** Resolves when none is left. */
  emptied(): Promise<unknown>;
}>;

type Options = Readonly<{
  carryOut(pending: readonly Pending[]): Promise<Settled>;
  reply(replies: Settled["replies"]): Promise<unknown>;
}>;

/** What holds a row is nearly always another batch, which commits within milliseconds. */
const firstPauseMs = 4;
const longestPauseMs = 40;
const maxTogether = 100;
const maxWaiting = 4_000;
/** Of one user: whose row is held for long shall not take the room of others. */
const maxOfUser = 500;

type Entry = { pending: Pending; tries: number; dueAt: number };

/**
 * Nothing of this waits inside PostgreSQL, so that a row that is held for seconds costs no connection and no
 * stranger's time. It ends by itself: what has become late is answered by its next try.
 */
export function createDeferred({ carryOut, reply }: Options): Deferred {
  let waiting: Entry[] = [];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      await Bun.sleep(firstPauseMs);
      const now = performance.now();
      const due = waiting.filter(({ dueAt }) => dueAt <= now).slice(0, maxTogether);
      if (due.length === 0) continue;
      const { replies, locked } = await carryOut(due.map(({ pending }) => pending));
      const still = new Map(locked.map((pending) => [pending.command, pending]));
      waiting = waiting.flatMap((entry) => {
        if (!due.includes(entry)) return [entry];
        const pending = still.get(entry.pending.command);
        return pending ? [later(pending, entry.tries + 1)] : [];
      });
      void reply(replies);
    }
    running = undefined;
  }

  return {
    add(pending) {
      const room = new Map<string, number>();
      for (const { pending } of waiting)
        room.set(pending.command.userId, (room.get(pending.command.userId) ?? 0) + 1);
      const turnedAway = pending.filter((one) => {
        const { userId } = one.command;
        const ofUser = room.get(userId) ?? 0;
        if (waiting.length >= maxWaiting || ofUser >= maxOfUser) return true;
        room.set(userId, ofUser + 1);
        waiting.push(later(one, 1));
        return false;
      });
      running ??= waiting.length > 0 ? run() : undefined;
      return turnedAway;
    },
    emptied: () => running ?? Promise.resolve(),
  };
}

const later = (pending: Pending, tries: number): Entry => ({
  pending,
  tries,
  dueAt: performance.now() + Math.min(firstPauseMs * 2 ** (tries - 1), longestPauseMs),
});
