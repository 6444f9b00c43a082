import { commands as contracts } from "../../shared/contracts/catalogue.ts";
import type { QueuedCommand } from "../../shared/queue/batch.ts";

/**
 * While several users send, a line of more than a share is long. Long lines travel in batches of their own, so that
 * nobody waits for the many commands of somebody else.
 */
export type LineKind = "short" | "long";

export const maxBatch = 100;
/**
 * The commands of one user in a batch shared with others. It bounds how long one user's costly commands keep a worker.
 */
const shareBesideOthers = 8;
/** A user counts as alone, and may fill batches, this long after the last command of anybody else. */
const aloneAfterMs = 150;

/** The commands of one user in their order, and those that have left and are not answered. */
type Line = Readonly<{ userId: string; waiting: QueuedCommand[]; out: Set<QueuedCommand> }>;

/** @returns whether one more command may join a batch that has `round` commands of this line */
function takeNext({ waiting, out }: Line, taken: QueuedCommand[], round: number): boolean {
  const [next] = waiting;
  if (!next) return false;
  // A command that can take long travels as the only one of its user.
  const { apart = false } = contracts[next.name];
  if (apart && round > 0) return false;
  waiting.shift();
  out.add(next);
  taken.push(next);
  return !apart;
}

export type PendingCommands = Readonly<ReturnType<typeof createPendingCommands>>;

/**
 * Commands that wait for a batch, in a line for each user. Users take turns. A line stands still until everything that
 * has left it is answered, which keeps each user's commands in order.
 */
export function createPendingCommands() {
  const lines = new Map<string, Line>();
  /** Lines with commands of which none is out. They take turns: the one that left longest ago comes first. */
  const ready = new Set<Line>();
  let size = 0;
  let lastUser: string | undefined;
  let othersAt = Number.NEGATIVE_INFINITY;
  const sizeOf = (userId: string): number => lines.get(userId)?.waiting.length ?? 0;

  /**
   * Call this when commands of a line came, left or ended. A line that is ready already keeps its place.
   * @returns whether the line is ready
   */
  function update(line: Line): boolean {
    const isReady = line.waiting.length > 0 && line.out.size === 0;
    if (isReady) ready.add(line);
    else ready.delete(line);
    if (line.waiting.length === 0 && line.out.size === 0) lines.delete(line.userId);
    return isReady;
  }

  return {
    size: () => size,
    sizeOf,
    /** The number of commands that may leave before this user's next one. */
    ahead: (userId: string) => Math.min(size, (sizeOf(userId) + 1) * lines.size),
    put(command: QueuedCommand): void {
      const { userId } = command;
      if (lastUser !== undefined && lastUser !== userId) othersAt = performance.now();
      lastUser = userId;
      const line = lines.get(userId) ?? { userId, waiting: [], out: new Set() };
      lines.set(userId, line);
      line.waiting.push(command);
      size += 1;
      update(line);
    },
    /** Takes up to `count` commands from lines of one kind: first one of each user, then a second one, up to a share. */
    take(count: number, kind: LineKind): QueuedCommand[] {
      const taken: QueuedCommand[] = [];
      const isAlone = performance.now() - othersAt >= aloneAfterMs;
      const share = isAlone ? Number.POSITIVE_INFINITY : shareBesideOthers;
      const chosen = [...ready].filter(({ waiting }) => waiting.length > share === (kind === "long"));
      let leaving = chosen;
      for (let round = 0; round < share && leaving.length > 0; round++)
        leaving = leaving.filter((line) => taken.length < count && takeNext(line, taken, round));
      size -= taken.length;
      chosen.forEach(update);
      return taken;
    },
    /** @returns false when it has left already */
    withdraw(command: QueuedCommand): boolean {
      const line = lines.get(command.userId);
      const index = line?.waiting.indexOf(command) ?? -1;
      if (!line || index === -1) return false;
      line.waiting.splice(index, 1);
      size -= 1;
      update(line);
      return true;
    },
    withdrawAll(): QueuedCommand[] {
      const all = [...lines.values()].flatMap(({ waiting }) => waiting.splice(0));
      size = 0;
      [...lines.values()].forEach(update);
      return all;
    },
    /**
     * Ends a command that is answered or given up.
     * @returns whether other commands of its user may now leave
     */
    ended(command: QueuedCommand): boolean {
      const line = lines.get(command.userId);
      return line?.out.delete(command) ? update(line) : false;
    },
  };
}
