import type { ReceivedCommand } from "./received.ts";
import type { RunResult } from "./transaction/retries.ts";

/**
 * Commands on rows or keys that another transaction has locked. They are retried together until they run or are
 * late.
 */
export type RetryQueue = Readonly<{
  /** @returns the commands for which there is no room: all or none */
  add(commands: readonly ReceivedCommand[]): readonly ReceivedCommand[];
  /** Resolves when no command is left. */
  drained(): Promise<unknown>;
}>;

type RetryOptions = Readonly<{
  run(commands: readonly ReceivedCommand[]): Promise<RunResult>;
  reply(replies: RunResult["replies"]): Promise<unknown>;
}>;

/** A row is nearly always locked by another batch, which commits within milliseconds. */
const firstPauseMs = 4;
const longestPauseMs = 40;
const maxTogether = 100;
/** A door sends a user's next commands only when these are answered, so no user takes the room of others. */
const maxWaiting = 4_000;

/** The rest of one user's commands of one batch, in their order. */
type Line = Readonly<{ commands: readonly ReceivedCommand[]; tries: number; dueAt: number }>;

/**
 * Commands wait here and not inside PostgreSQL, so a row that stays locked for seconds costs no connection and
 * delays no other user. The wait always ends, because the next attempt answers a late command.
 */
export function createRetryQueue({ run, reply }: RetryOptions): RetryQueue {
  let lines: readonly Line[] = [];
  let running: Promise<void> | undefined;

  async function retryAll(): Promise<void> {
    while (lines.length > 0) {
      await Bun.sleep(firstPauseMs);
      const due = firstDue(lines);
      if (due.length === 0) continue;
      const { replies, lockedElsewhere } = await run(due.flatMap(({ commands }) => commands));
      const still = new Map(lockedElsewhere.map((received) => [received.command, received]));
      const left = due.flatMap(({ commands, tries }) =>
        nextTry(
          commands.flatMap(({ command }) => still.get(command) ?? []),
          tries + 1,
        ),
      );
      lines = [...lines.filter((line) => !due.includes(line)), ...left];
      void reply(replies);
    }
    running = undefined;
  }

  return {
    add(commands) {
      if (sizeOf(lines) + commands.length > maxWaiting) return commands;
      const byUser = Map.groupBy(commands, ({ command }) => command.userId);
      lines = [...lines, ...[...byUser.values()].flatMap((ofUser) => nextTry(ofUser, 1))];
      running ??= lines.length > 0 ? retryAll() : undefined;
      return [];
    },
    drained: () => running ?? Promise.resolve(),
  };
}

const sizeOf = (lines: readonly Line[]): number =>
  lines.reduce((sum, { commands }) => sum + commands.length, 0);

/** The lines whose next attempt is due, uncut, as many as fit into a transaction. */
function firstDue(lines: readonly Line[]): readonly Line[] {
  const now = performance.now();
  let room = maxTogether;
  return lines.filter(({ dueAt, commands }) => {
    const isTaken = dueAt <= now && commands.length <= room;
    if (isTaken) room -= commands.length;
    return isTaken;
  });
}

const nextTry = (commands: readonly ReceivedCommand[], tries: number): Line[] =>
  commands.length === 0
    ? []
    : [
        {
          commands,
          tries,
          dueAt: performance.now() + Math.min(firstPauseMs * 2 ** (tries - 1), longestPauseMs),
        },
      ];
