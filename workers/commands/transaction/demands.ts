import type { QueuedCommand } from "../../../shared/queue/batch.ts";
import { handlerOf } from "../../handlers/index.ts";
import type { NewRow } from "../../unit-of-work/new-rows.ts";
import type { UserRowRequest } from "../../unit-of-work/row-request.ts";
import type { State } from "../../unit-of-work/state.ts";
import type { CommandToRun } from "../received.ts";
import { ownTables } from "./handler-context.ts";

/** A command needs rows loaded before its handler runs, and quota and ids for rows that the handler may make. */
export type Demand = Readonly<{
  rows: readonly UserRowRequest[];
  makes: readonly NewRow[];
}>;

/**
 * The demand that a command's input names. A command without idempotency key has a new id, unless its job came twice:
 * then the inbox refuses the id, and the next attempt looks for the stored reply.
 */
export function demandOf({ command, repeat, inGroup, hasId }: CommandToRun): Demand {
  const { userId, input, acceptedAt, fingerprint } = command;
  const { rows, makes, mayMake, count } = handlerOf(command.name);
  const table = inGroup ? (makes ?? mayMake) : makes;
  const named = rows?.(input, acceptedAt).map((row) => ({ ...row, userId })) ?? [];
  return {
    rows: repeat || fingerprint !== null ? [...named, ...storedReply(command)] : named,
    makes: table ? Array.from({ length: count?.(input) ?? 1 }, () => ({ userId, table, hasId })) : [],
  };
}

/** The demand that follows from loaded rows: rows that they refer to, and rows that may be made from them. */
export function relatedDemandOf(state: State, { userId, name, input }: QueuedCommand): Demand {
  const { rows = [], makes = [] } = handlerOf(name).related?.(ownTables(state, userId), input) ?? {};
  return {
    rows: rows.map((row) => ({ ...row, userId })),
    makes: makes.map((table) => ({ userId, table })),
  };
}

/** The demand of a command that is not run. */
export const replyDemandOf = (command: QueuedCommand): Demand => ({ rows: storedReply(command), makes: [] });

/** The rows that show what became of a command before. */
export function storedReply({
  name,
  id,
  userId,
  readsAgain,
  call,
}: Pick<QueuedCommand, "name" | "id" | "userId" | "readsAgain" | "call">): UserRowRequest[] {
  if (handlerOf(name).idempotent) return [];
  const reply: UserRowRequest = { table: "inbox", key: id, lock: "none", userId };
  if (!readsAgain || !call) return [reply];
  const key = [new Date(call.startedAt).toISOString(), call.requestId];
  return [reply, { table: "action_log", key, lock: "none", userId }];
}
