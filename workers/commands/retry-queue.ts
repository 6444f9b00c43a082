import type { ReceivedCommand } from "./received.ts";
import type { RunResult } from "./retries.ts";

/** Commands on rows or keys that another transaction has locked, tried again together until they run or are late. */
export type RetryQueue = Readonly<{
  /** @returns those for which there is no room */
  add(commands: readonly ReceivedCommand[]): readonly ReceivedCommand[];
  /** Resolves when none is left. */
  drained(): Promise<unknown>;
}>;

type RetryOptions = Readonly<{
  run(commands: readonly ReceivedCommand[]): Promise<RunResult>;
  reply(replies: RunResult["replies"]): Promise<unknown>;
}>;

/** A row is nearly always locked by another batch, which commits within milliseconds. */
const firstPauseMs = 4;
const longestPauseMs = 40;
const maxTogether = 100;
const maxWaiting = 4_000;
/** A user whose row stays locked must not take the room of others. */
const maxOfUser = 500;

type Entry = { received: ReceivedCommand; tries: number; dueAt: number };

/**
 * Waits here and not inside PostgreSQL, so that a row that stays locked for seconds costs no connection and delays no
 * other command. It always ends: a command that has become late is answered by its next attempt.
 */
export function createRetryQueue({ run, reply }: RetryOptions): RetryQueue {
  let waiting: Entry[] = [];
  let running: Promise<void> | undefined;

  async function retryAll(): Promise<void> {
    while (waiting.length > 0) {
      await Bun.sleep(firstPauseMs);
      const now = performance.now();
      const due = waiting.filter(({ dueAt }) => dueAt <= now).slice(0, maxTogether);
      if (due.length === 0) continue;
      const { replies, lockedElsewhere } = await run(due.map(({ received }) => received));
      const still = new Map(lockedElsewhere.map((received) => [received.command, received]));
      waiting = waiting.flatMap((entry) => {
        if (!due.includes(entry)) return [entry];
        const received = still.get(entry.received.command);
        return received ? [nextTry(received, entry.tries + 1)] : [];
      });
      void reply(replies);
    }
    running = undefined;
  }

  return {
    add(commands) {
      const countOfUser = countByUser(waiting);
      const turnedAway = commands.filter((received) => {
        const { userId } = received.command;
        const ofUser = countOfUser.get(userId) ?? 0;
        if (waiting.length >= maxWaiting || ofUser >= maxOfUser) return true;
        countOfUser.set(userId, ofUser + 1);
        waiting.push(nextTry(received, 1));
        return false;
      });
      running ??= waiting.length > 0 ? retryAll() : undefined;
      return turnedAway;
    },
    drained: () => running ?? Promise.resolve(),
  };
}

function countByUser(waiting: readonly Entry[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { received } of waiting) {
    const { userId } = received.command;
    counts.set(userId, (counts.get(userId) ?? 0) + 1);
  }
  return counts;
}

const nextTry = (received: ReceivedCommand, tries: number): Entry => ({
  received,
  tries,
  dueAt: performance.now() + Math.min(firstPauseMs * 2 ** (tries - 1), longestPauseMs),
});
