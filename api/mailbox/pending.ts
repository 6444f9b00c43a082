import { commands as contracts } from "../../shared/contracts/catalogue.ts";
import { createLines } from "../../shared/process/lines.ts";
import type { QueuedCommand } from "../../shared/queue/batch.ts";

/**
 * While several users send, a line of more than a share is long. Long lines travel in batches of their own, so that
 * nobody waits for the many commands of somebody else.
 */
export type LineKind = "short" | "long";

/**
 * Commands that wait for a batch, in a line for each user. Users take turns. A line stands still until everything that
 * has left it is answered, which keeps each user's commands in order.
 */
export type PendingCommands = Readonly<{
  size(): number;
  sizeOf(userId: string): number;
  /** How many commands may leave before one that this user would put now. */
  ahead(userId: string): number;
  put(command: QueuedCommand): void;
  /** Takes up to `count` commands from lines of one kind: first one of each user, then a second one, up to a share. */
  take(count: number, kind: LineKind): QueuedCommand[];
  /** @returns false when it has left already */
  withdraw(command: QueuedCommand): boolean;
  withdrawAll(): QueuedCommand[];
  /**
   * Notes that a command is answered or given up.
   * @returns whether commands of its user may leave by that
   */
  ended(command: QueuedCommand): boolean;
}>;

export const maxBatch = 100;
/** How many commands of one user share a batch with others'. It bounds how long costly ones of one user keep a worker. */
const shareBesideOthers = 8;
/** A user counts as alone, and may fill batches, this long after the last command of anybody else. */
const aloneAfterMs = 150;

export function createPendingCommands(): PendingCommands {
  const lines = createLines<QueuedCommand>(1);
  let lastUser: string | undefined;
  let othersAt = Number.NEGATIVE_INFINITY;
  const isAlone = () => performance.now() - othersAt >= aloneAfterMs;

  return {
    size: lines.size,
    sizeOf: lines.sizeOf,
    ahead: (userId) => Math.min(lines.size(), (lines.sizeOf(userId) + 1) * lines.keys()),
    put(command) {
      const { userId } = command;
      if (lastUser !== undefined && lastUser !== userId) othersAt = performance.now();
      lastUser = userId;
      lines.put(userId, command);
    },
    take(count, kind) {
      const taken: QueuedCommand[] = [];
      const share = isAlone() ? Number.POSITIVE_INFINITY : shareBesideOthers;
      let leaving = [...lines.ready].filter(({ waiting }) => waiting.length > share === (kind === "long"));
      for (let round = 0; round < share && leaving.length > 0; round++)
        leaving = leaving.filter((line) => {
          const [next] = line.waiting;
          if (!next || taken.length >= count) return false;
          // A command that can take long travels as the only one of its user.
          const { apart } = contracts[next.name];
          if (apart && round > 0) return false;
          lines.take(line);
          taken.push(next);
          return !apart;
        });
      return taken;
    },
    withdraw: (command) => lines.withdraw(command.userId, command),
    withdrawAll: lines.withdrawAll,
    ended: (command) => lines.end(command.userId, command),
  };
}
