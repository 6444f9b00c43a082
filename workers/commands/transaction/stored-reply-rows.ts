import type { QueuedCommand } from "../../../shared/queue/batch.ts";
import { handlers } from "../../handlers/index.ts";
import type { UserRowRequest } from "../../unit-of-work/row-request.ts";

type Repeatable = Pick<QueuedCommand, "name" | "id" | "userId" | "readsAgain" | "call">;

/** The rows that tell whether a command ran before. */
export function storedReplyRows({ name, id, userId, readsAgain, call }: Repeatable): UserRowRequest[] {
  if (handlers[name].idempotent) return [];
  const reply: UserRowRequest = { table: "inbox", key: id, lock: "none", userId };
  if (!readsAgain || !call) return [reply];
  const key = [new Date(call.startedAt).toISOString(), call.requestId];
  return [reply, { table: "action_log", key, lock: "none", userId }];
}
