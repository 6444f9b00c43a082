import type { HangWatch } from "../../shared/process/hang-watch.ts";

/** Commands that take long: a few run at the same time, and never two of one user. */
export type SlowQueue = Readonly<{
  /** @returns false when too many commands are waiting; each door sends one of a user at a time */
  add(userId: string, work: () => Promise<void>): boolean;
  /** Resolves when all of them are done. */
  drained(): Promise<void>;
}>;

/** Each running command uses a database connection. */
export const slowConcurrency = 4;
const maxWaiting = 1_000;

type Entry = Readonly<{ userId: string; work(): Promise<void> }>;

export function createSlowQueue(watch: Pick<HangWatch, "during">): SlowQueue {
  let waiting: Entry[] = [];
  const running = new Set<string>();
  let idle = Promise.withResolvers<void>();
  idle.resolve();

  function startNext(): void {
    while (running.size < slowConcurrency) {
      const next = waiting.find(({ userId }) => !running.has(userId));
      if (!next) break;
      waiting = waiting.filter((entry) => entry !== next);
      running.add(next.userId);
      void watch.during("slow commands", next.work).finally(() => {
        running.delete(next.userId);
        startNext();
      });
    }
    if (running.size === 0) idle.resolve();
  }

  return {
    add(userId, work) {
      if (waiting.length >= maxWaiting) return false;
      if (running.size === 0) idle = Promise.withResolvers();
      waiting.push({ userId, work });
      startNext();
      return true;
    },
    drained: () => idle.promise,
  };
}
