import type { QueuedCommand } from "../../../shared/queue/batch.ts";
import type { QueuedGroup } from "../../../shared/queue/group.ts";

/** A request as it waits for approval: a command, or the operations of a group. */
export type AskedRequest = Pick<QueuedCommand, "name" | "input" | "acceptedAt" | "call"> &
  Readonly<{ group?: QueuedGroup }>;
