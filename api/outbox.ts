import type { QueuedCommand } from "../shared/queue/envelope.ts";

/** Commands that wait for an envelope, in order of arrival. */
export type Outbox = Readonly<{
  size(): number;
  put(command: QueuedCommand): void;
  /** Takes the first `count` out. */
  take(count: number): QueuedCommand[];
  /** @returns false when it is gone already */
  withdraw(ticket: number): boolean;
  /** Resolves when `count` commands wait, at the latest after `ms`. */
  filled(count: number, ms: number): Promise<void>;
}>;

export function createOutbox(): Outbox {
  let waiting: QueuedCommand[] = [];
  const watchers = new Set<{ count: number; notify(): void }>();
  return {
    size: () => waiting.length,
    put(command) {
      waiting.push(command);
      for (const { count, notify } of watchers) if (waiting.length >= count) notify();
    },
    take(count) {
      const taken = waiting.slice(0, count);
      waiting = waiting.slice(count);
      return taken;
    },
    withdraw(ticket) {
      const before = waiting.length;
      waiting = waiting.filter((command) => command.ticket !== ticket);
      return waiting.length < before;
    },
    filled: (count, ms) =>
      new Promise((resolve) => {
        const notify = () => {
          clearTimeout(timer);
          watchers.delete(watcher);
          resolve();
        };
        const watcher = { count, notify };
        const timer = setTimeout(notify, ms);
        watchers.add(watcher);
        if (waiting.length >= count) notify();
      }),
  };
}
