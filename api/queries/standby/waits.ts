/** Reads that wait until the standby has reached a position, each for the same bounded time. */
type PositionWaits = Readonly<{
  /** Resolves to whether the standby reached the position in time. */
  wait(position: number): Promise<boolean>;
  areAny(): boolean;
  reached(position: number): void;
  giveUp(): void;
}>;

type PositionWait = Readonly<{ position: number; end(isReached: boolean): void }>;

export function createPositionWaits(patienceMs: number): PositionWaits {
  const waiting = new Set<PositionWait>();
  return {
    wait: (position) =>
      new Promise((resolve) => {
        const end = (isReached: boolean) => {
          clearTimeout(timer);
          waiting.delete(wait);
          resolve(isReached);
        };
        const timer = setTimeout(() => end(false), patienceMs);
        const wait = { position, end };
        waiting.add(wait);
      }),
    areAny: () => waiting.size > 0,
    reached(position) {
      for (const wait of waiting) if (wait.position <= position) wait.end(true);
    },
    giveUp() {
      for (const { end } of waiting) end(false);
    },
  };
}
