import { commands as contracts } from "../../contracts/catalogue.ts";
import type { QueuedCommand } from "../batch.ts";
import { createSizeWatch } from "./size-watch.ts";
import { createUserLines, shareBesideOthers } from "./user-lines.ts";

/**
 * Commands that wait for a batch: a line for each user, from which they leave in turns. A line stands still until
 * everything that has left it is answered, which keeps each user's commands in order.
 */
export type PendingCommands = Readonly<{
  size(): number;
  sizeOf(userId: string): number;
  /** How many commands may leave before one that this user would put now. */
  ahead(userId: string): number;
  put(command: QueuedCommand): void;
  /** Takes up to `count` commands from lines of one kind: users take turns, and none gets more than a share. */
  take(count: number, kind: LineKind): QueuedCommand[];
  takeAll(): QueuedCommand[];
  /** @returns false when it has left already */
  withdraw(command: QueuedCommand): boolean;
  /**
   * Notes that a command is answered or given up.
   * @returns whether commands of its user may leave by that
   */
  ended(command: QueuedCommand): boolean;
  /** Resolves when `count` commands wait, at the latest after `ms`. */
  filled(count: number, ms: number): Promise<void>;
}>;

/**
 * While several users send, a line of more than a share is long. Long lines travel in batches of their own, so that
 * nobody waits for the many commands of somebody else.
 */
export type LineKind = "short" | "long";

export const maxBatch = 100;
/** A user counts as alone, and may fill batches, this long after the last command of anybody else. */
const aloneAfterMs = 150;

export function createPendingCommands(): PendingCommands {
  const lines = createUserLines();
  /** The tickets of each user that have left and are not answered. */
  const underWay = new Map<string, Set<number>>();
  const sizeWatch = createSizeWatch();
  const share = createShare();

  function takeFirst(userId: string): QueuedCommand[] {
    const taken = lines.takeFirst(userId);
    const tickets = underWay.get(userId) ?? new Set();
    for (const { ticket } of taken) underWay.set(userId, tickets.add(ticket));
    return taken;
  }

  function take(count: number, kind: LineKind): QueuedCommand[] {
    const taken: QueuedCommand[] = [];
    const ofUser = new Map<string, number>();
    // This is asked at each command while a batch is under way, so asking in vain must cost nothing.
    if (kind === "long" && !lines.hasLong()) return taken;
    const most = share.present();
    const isOfKind = (length: number) => length > most === (kind === "long");
    for (const [userId, line] of lines.inTurns()) {
      if (taken.length >= count) break;
      const already = ofUser.get(userId) ?? 0;
      const isApart = line.slice(0, 1).some(({ name }) => contracts[name].apart);
      const mayLeave =
        already === 0 ? isOfKind(line.length) && !underWay.has(userId) : already < most && !isApart;
      if (!mayLeave) continue;
      ofUser.set(userId, isApart ? most : already + 1);
      taken.push(...takeFirst(userId));
    }
    return taken;
  }

  return {
    size: lines.size,
    sizeOf: lines.sizeOf,
    ahead: (userId) => Math.min(lines.size(), (lines.sizeOf(userId) + 1) * lines.users()),
    put(command) {
      share.noteSender(command.userId);
      lines.put(command);
      sizeWatch.reached(lines.size());
    },
    take,
    takeAll: lines.takeAll,
    withdraw: lines.withdraw,
    ended({ userId, ticket }) {
      const tickets = underWay.get(userId);
      if (!tickets?.delete(ticket) || tickets.size > 0) return false;
      underWay.delete(userId);
      return lines.sizeOf(userId) > 0;
    },
    filled: (count, ms) => sizeWatch.wait(lines.size(), count, ms),
  };
}

/** How many commands of one user a batch may have: any number while nobody else sends. */
function createShare(): { noteSender(userId: string): void; present(): number } {
  let lastUser: string | undefined;
  let othersAt = Number.NEGATIVE_INFINITY;
  return {
    noteSender(userId) {
      if (lastUser !== undefined && lastUser !== userId) othersAt = performance.now();
      lastUser = userId;
    },
    present: () =>
      performance.now() - othersAt < aloneAfterMs ? shareBesideOthers : Number.POSITIVE_INFINITY,
  };
}
