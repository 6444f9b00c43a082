import type { QueuedCommand } from "../../shared/queue/batch.ts";
import { handlerOf } from "../handlers/index.ts";
import type { NumberedTable } from "../unit-of-work/ids.ts";
import { ownTables } from "../unit-of-work/own-tables.ts";
import type { QuotaUse } from "../unit-of-work/quotas.ts";
import type { RowRequest, UserRowRequest } from "../unit-of-work/row-request.ts";
import type { State } from "../unit-of-work/state.ts";

/**
 * A command to run. `repeat` says that it may have run before, so its stored reply is looked for; `inGroup` that the
 * commands before it in the transaction are its caller's, and may make or change the rows that it works on; `hasId`
 * that the id of what it makes is known.
 */
export type CommandToRun = Readonly<{
  command: QueuedCommand;
  repeat: boolean;
  inGroup?: boolean;
  hasId?: boolean;
}>;

/** A command needs rows loaded before its handler runs, and quota and ids for rows that the handler may make. */
export type Demand = Readonly<{
  rows: readonly UserRowRequest[];
  makes: readonly QuotaUse[];
  needsIds: readonly QuotaUse[];
}>;

/**
 * The demand that a command's input names. A command without idempotency key has a new id, unless its job came twice:
 * then the inbox refuses the id, and the next attempt looks for the stored reply.
 */
export function demandOf({ command, repeat, inGroup, hasId }: CommandToRun): Demand {
  const { rows, makes, mayMake, count } = handlerOf(command.name);
  const seen = repeat || command.fingerprint !== null ? storedReply(command) : [];
  const asked = [...(rows?.(command.input, command.acceptedAt) ?? []), ...seen];
  const demanded = demand(
    command,
    asked,
    timesOf(inGroup ? (makes ?? mayMake) : makes, count?.(command.input)),
  );
  return hasId ? { ...demanded, needsIds: [] } : demanded;
}

/** The demand that follows from loaded rows: rows that they refer to, and rows that may be made from them. */
export function relatedDemandOf(state: State, command: QueuedCommand): Demand {
  const { userId, name, input } = command;
  const { related } = handlerOf(name);
  if (!related) return demand(command, []);
  const { rows, makes } = related(ownTables(state, userId), input);
  return demand(command, rows, makes);
}

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

const timesOf = (table: NumberedTable | undefined, count = 1): NumberedTable[] =>
  table === undefined ? [] : Array.from({ length: count }, () => table);

function demand(
  { userId }: QueuedCommand,
  rows: readonly (RowRequest | UserRowRequest)[],
  tables: readonly NumberedTable[] = [],
): Demand {
  const makes = tables.map((table) => ({ userId, table }));
  return { rows: rows.map((row) => ({ ...row, userId })), makes, needsIds: makes };
}
