/** Work that takes long, a few at a time, and of each user one after another. */
export type Lane = Readonly<{
  /** @returns false when this user, or everybody, has too much of it waiting */
  enter(userId: string, work: () => Promise<void>): boolean;
  /** Resolves when all work is done. */
  emptied(): Promise<void>;
}>;

/** Each holds a connection while it runs. */
export const laneWidth = 4;
const maxWaiting = 1_000;
const maxOfUser = 20;

type Entry = Readonly<{ userId: string; work(): Promise<void> }>;

export function createLane(): Lane {
  let waiting: Entry[] = [];
  const running = new Set<string>();
  let idle = Promise.withResolvers<void>();
  idle.resolve();

  function startNext(): void {
    while (running.size < laneWidth) {
      const next = waiting.find(({ userId }) => !running.has(userId));
      if (!next) break;
      waiting = waiting.filter((entry) => entry !== next);
      running.add(next.userId);
      void next.work().finally(() => {
        running.delete(next.userId);
        startNext();
      });
    }
    if (running.size === 0) idle.resolve();
  }

  return {
    enter(userId, work) {
      const ofUser = waiting.filter((entry) => entry.userId === userId).length;
      if (waiting.length >= maxWaiting || ofUser >= maxOfUser) return false;
      if (running.size === 0) idle = Promise.withResolvers();
      waiting.push({ userId, work });
      startNext();
      return true;
    },
    emptied: () => idle.promise,
  };
}
