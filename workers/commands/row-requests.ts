import type { QueuedCommand } from "../../shared/queue/batch.ts";
import { handlerOf } from "../handlers/index.ts";
import type { NumberedTable } from "../unit-of-work/ids.ts";
import type { QuotaUse } from "../unit-of-work/quotas.ts";
import type { RowRequest, UserRowRequest } from "../unit-of-work/row-request.ts";
import { ownRows, type State } from "../unit-of-work/state.ts";

/** What a command needs before its handler can run: loaded rows, and room for the rows that it may make. */
export type Demand = Readonly<{ rows: readonly UserRowRequest[]; makes: readonly QuotaUse[] }>;

/**
 * What a command's input asks for. The id of a command without idempotency key is new, unless its job came twice:
 * then the inbox refuses the id, and the next attempt looks for the stored reply.
 */
export function demandOf(command: QueuedCommand, repeat: boolean): Demand {
  const { rows, makes } = handlerOf(command.name);
  const seen = repeat || command.fingerprint !== null ? storedReply(command) : [];
  return demand(command, [...(rows?.(command.input as never) ?? []), ...seen], makes);
}

/** What the loaded rows lead to: rows that they refer to, and rows that may be made from them. */
export function relatedDemandOf({ habits, todos }: State, command: QueuedCommand): Demand {
  const { userId, name, input } = command;
  const { related } = handlerOf(name);
  if (!related) return demand(command, []);
  const loaded = { habits: ownRows(habits, userId), todos: ownRows(todos, userId) };
  const { rows, makes } = related(loaded, input as never);
  return demand(command, rows, makes);
}

export const storedReply = ({ name, id, userId }: QueuedCommand): UserRowRequest[] =>
  handlerOf(name).idempotent ? [] : [{ table: "inbox", key: id, lock: "none", userId }];

const demand = (
  { userId }: QueuedCommand,
  rows: readonly (RowRequest | UserRowRequest)[],
  makes?: NumberedTable,
): Demand => ({
  rows: rows.map((row) => ({ ...row, userId })),
  makes: makes === undefined ? [] : [{ userId, table: makes }],
});
