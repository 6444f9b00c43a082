/** Waits for a size to be reached. */
export type SizeWatch = Readonly<{
  /** To be called whenever the size has grown. */
  reached(size: number): void;
  /** Resolves when the size reaches `count`, at the latest after `ms`. */
  wait(size: number, count: number, ms: number): Promise<void>;
}>;

export function createSizeWatch(): SizeWatch {
  const watchers = new Set<{ count: number; notify(): void }>();
  return {
    reached(size) {
      for (const { count, notify } of watchers) if (size >= count) notify();
    },
    wait: (size, count, ms) =>
      new Promise((resolve) => {
        const notify = () => {
          clearTimeout(timer);
          watchers.delete(watcher);
          resolve();
        };
        const watcher = { count, notify };
        const timer = setTimeout(notify, ms);
        watchers.add(watcher);
        if (size >= count) notify();
      }),
  };
}
