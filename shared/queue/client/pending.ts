import type { QueuedCommand } from "../batch.ts";

/** Commands that wait for a batch: a line for each user, from which they leave in turns. */
export type PendingCommands = Readonly<{
  size(): number;
  sizeOf(userId: string): number;
  /** How many commands may leave before one that this user would put now. */
  ahead(userId: string): number;
  put(command: QueuedCommand): void;
  /** Takes up to `count` out of one kind of lines, one of each user after another and no more than a share of each. */
  take(count: number, kind: LineKind): QueuedCommand[];
  takeAll(): QueuedCommand[];
  /** @returns false when it is gone already */
  withdraw(command: QueuedCommand): boolean;
  /** Takes nothing more of these users until the returned function is called. */
  holdBack(userIds: ReadonlySet<string>): () => void;
  /** Resolves when `count` commands wait, at the latest after `ms`. */
  filled(count: number, ms: number): Promise<void>;
}>;

/** Beside others a line of more than a share is long. It travels apart, so that nobody waits for somebody's many. */
export type LineKind = "short" | "long";

/** Of one user in one batch: a worker is kept by no more than so many of somebody's costly commands at once. */
const shareBesideOthers = 8;
/** So long after somebody else's last command a user counts as alone, and may fill batches. */
const aloneAfterMs = 150;

export function createPendingCommands(): PendingCommands {
  /** In the order of their turns: whose command was taken goes to the end. */
  const lines = new Map<string, QueuedCommand[]>();
  const heldBack = new Set<ReadonlySet<string>>();
  const watchers = new Set<{ count: number; notify(): void }>();
  let size = 0;
  let longLines = 0;
  let lastUser: string | undefined;
  let othersAt = Number.NEGATIVE_INFINITY;

  const share = () =>
    performance.now() - othersAt < aloneAfterMs ? shareBesideOthers : Number.POSITIVE_INFINITY;

  const isHeldBack = (userId: string) => {
    for (const userIds of heldBack) if (userIds.has(userId)) return true;
    return false;
  };

  function take(count: number, kind: LineKind): QueuedCommand[] {
    const taken: QueuedCommand[] = [];
    const ofUser = new Map<string, number>();
    // Asked at each command while one batch or another is under way: what is in vain must cost nothing.
    if (kind === "long" && longLines === 0) return taken;
    const most = share();
    const isOther = (line: QueuedCommand[]) => line.length > most !== (kind === "long");
    // A map goes on to what is set while it is gone through, so a user's next command comes after all others'.
    for (const [userId, line] of lines) {
      if (taken.length >= count) break;
      const already = ofUser.get(userId) ?? 0;
      if (already === 0 ? isOther(line) || isHeldBack(userId) : already === most) continue;
      ofUser.set(userId, already + 1);
      taken.push(...remove(line, 0));
      lines.delete(userId);
      if (line.length > 0) lines.set(userId, line);
    }
    size -= taken.length;
    return taken;
  }

  function remove(line: QueuedCommand[], place: number): QueuedCommand[] {
    if (line.length === shareBesideOthers + 1) longLines -= 1;
    return line.splice(place, 1);
  }

  return {
    size: () => size,
    sizeOf: (userId) => lines.get(userId)?.length ?? 0,
    ahead: (userId) => Math.min(size, ((lines.get(userId)?.length ?? 0) + 1) * lines.size),
    put(command) {
      if (lastUser !== undefined && lastUser !== command.userId) othersAt = performance.now();
      lastUser = command.userId;
      const line = lines.get(command.userId);
      if (line?.push(command) === shareBesideOthers + 1) longLines += 1;
      if (!line) lines.set(command.userId, [command]);
      size += 1;
      for (const { count, notify } of watchers) if (size >= count) notify();
    },
    take,
    takeAll() {
      const all = [...lines.values()].flat();
      lines.clear();
      size = longLines = 0;
      return all;
    },
    withdraw({ userId, ticket }) {
      const line = lines.get(userId) ?? [];
      const place = line.findIndex((command) => command.ticket === ticket);
      if (place === -1) return false;
      remove(line, place);
      if (line.length === 0) lines.delete(userId);
      size -= 1;
      return true;
    },
    holdBack(userIds) {
      heldBack.add(userIds);
      return () => void heldBack.delete(userIds);
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
        if (size >= count) notify();
      }),
  };
}
