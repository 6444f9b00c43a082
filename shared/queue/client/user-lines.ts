import type { QueuedCommand } from "../batch.ts";

/** One user's part of a shared batch. It bounds how long one user's costly commands keep a worker. */
export const shareBesideOthers = 8;

/** A line of waiting commands for each user. */
export type UserLines = Readonly<{
  size(): number;
  sizeOf(userId: string): number;
  /** How many users have commands here. */
  users(): number;
  /** Whether any line has more commands than a share. */
  hasLong(): boolean;
  /** All lines in the order of their turns. While they are gone through, a line whose turn is over comes again. */
  inTurns(): Iterable<readonly [userId: string, line: readonly QueuedCommand[]]>;
  put(command: QueuedCommand): void;
  /** Takes a user's first command; their next turn comes after those of all others. */
  takeFirst(userId: string): QueuedCommand[];
  takeAll(): QueuedCommand[];
  /** @returns false when it has left already */
  withdraw(command: QueuedCommand): boolean;
}>;

export function createUserLines(): UserLines {
  const lines = new Map<string, QueuedCommand[]>();
  let size = 0;
  let longLines = 0;

  function remove(line: QueuedCommand[], place: number): QueuedCommand[] {
    if (line.length === shareBesideOthers + 1) longLines -= 1;
    size -= 1;
    return line.splice(place, 1);
  }

  return {
    size: () => size,
    sizeOf: (userId) => lines.get(userId)?.length ?? 0,
    users: () => lines.size,
    hasLong: () => longLines > 0,
    inTurns: () => lines,
    put(command) {
      const line = lines.get(command.userId);
      if (line?.push(command) === shareBesideOthers + 1) longLines += 1;
      if (!line) lines.set(command.userId, [command]);
      size += 1;
    },
    takeFirst(userId) {
      const line = lines.get(userId);
      if (!line) return [];
      const taken = remove(line, 0);
      lines.delete(userId);
      if (line.length > 0) lines.set(userId, line);
      return taken;
    },
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
      return true;
    },
  };
}
