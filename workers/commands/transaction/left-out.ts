import type { QueuedCommand } from "../../../shared/queue/batch.ts";
import { requestId, type UserRowRequest } from "../../unit-of-work/row-request.ts";
import type { State } from "../../unit-of-work/state.ts";

export type NeededRow = UserRowRequest & Readonly<{ command: QueuedCommand }>;

/** @returns the commands of skipped rows */
export const needing = (rows: readonly NeededRow[], { skipped }: State): QueuedCommand[] =>
  rows.flatMap((row) => (skipped.has(requestId(row)) ? row.command : []));

/** @returns the locked commands and all later ones of their users, except late ones */
export function withFollowing(
  commands: readonly QueuedCommand[],
  late: ReadonlyMap<QueuedCommand, unknown>,
  isLocked: (command: QueuedCommand) => boolean,
): ReadonlySet<QueuedCommand> {
  const locked = new Set<QueuedCommand>();
  const waiting = new Set<string>();
  for (const command of commands) {
    if (late.has(command) || !(waiting.has(command.userId) || isLocked(command))) continue;
    waiting.add(command.userId);
    locked.add(command);
  }
  return locked;
}
