/** Notices overdue work, so that an orchestrator restarts a process that hangs. */
export type HangWatch = Readonly<{
  /** Runs work, which hangs if it takes longer than `withinMs`. */
  during<Result>(name: string, work: () => Promise<Result>, withinMs?: number): Promise<Result>;
  /**
   * Watches a loop, which hangs if it does not come round.
   * @param isExcused true during a wait that a restart would not end
   * @returns a function to call each time it comes round
   */
  loop(name: string, isExcused: () => boolean): () => void;
  /** The names of hanging work and loops. */
  hanging(): string[];
}>;

type Watched = { name: string; dueAt: number; isExcused?(): boolean };

/** Far more than any job or statement may take, because a restart costs more than a late notice. */
const patienceMs = 60_000;

/** @param now the time in milliseconds, for tests that travel in time */
export function createHangWatch(now = () => performance.now()): HangWatch {
  const watched = new Set<Watched>();
  return {
    during(name, work, withinMs = patienceMs) {
      const entry = { name, dueAt: now() + withinMs };
      watched.add(entry);
      return Promise.try(work).finally(() => watched.delete(entry));
    },
    loop(name, isExcused) {
      const entry = { name, dueAt: now() + patienceMs, isExcused };
      watched.add(entry);
      return () => {
        entry.dueAt = now() + patienceMs;
      };
    },
    hanging() {
      for (const entry of watched) if (entry.isExcused?.()) entry.dueAt = now() + patienceMs;
      const late = [...watched].filter(({ dueAt }) => dueAt < now());
      return [...new Set(late.map(({ name }) => name))];
    },
  };
}
