import type { QueuedCommand } from "../shared/queue/envelope.ts";
import { handlerOf } from "./handlers/index.ts";
import type { Need, UserNeed } from "./unit-of-work/load.ts";

/** All rows that a command wants loaded: its handler's, the user's settings, and its stored reply. */
export function needsOf(command: QueuedCommand): UserNeed[] {
  const { userId } = command;
  const { needs, repeatable } = handlerOf(command.name);
  const own: Need[] = [...(needs?.(command.input as never) ?? []), { table: "users", mode: "see" }];
  if (!repeatable) own.push({ table: "inbox", key: command.id, mode: "see" });
  return own.map((need) => ({ ...need, userId }));
}

/** The rows for which a command steps aside while another transaction holds them. */
export const lockedRows = (command: QueuedCommand): UserNeed[] =>
  needsOf(command).filter(({ mode }) => mode === "lock");
