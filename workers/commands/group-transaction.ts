import { type OperationName, resolved } from "../../shared/queue/group.ts";
import { answeredId } from "../../shared/queue/group-end.ts";
import { handlerOf } from "../handlers/index.ts";
import type { Queryable } from "../unit-of-work/connection.ts";
import { createIds, type NumberedTable } from "../unit-of-work/ids.ts";
import { load } from "../unit-of-work/load.ts";
import { emptyState, ownRows } from "../unit-of-work/state.ts";
import type { TableMap } from "../unit-of-work/tables.ts";
import { answerGroup } from "./answer-group.ts";
import { begin } from "./begin.ts";
import type { RunningGroup } from "./group.ts";
import { type CommandToRun, storedReply } from "./row-requests.ts";
import { type TransactionContext, type TransactionResult, transact } from "./transaction.ts";
import { callHandlers } from "./transaction-failed.ts";

/**
 * Runs operations of a group in one transaction, all of them or, where another transaction has locked what one needs,
 * none: the next must not overtake it.
 * @throws TransactionFailed; then nothing was applied, unless it is `inDoubt`
 */
export const runGroupTransaction = (
  context: TransactionContext,
  work: readonly CommandToRun[],
  group: RunningGroup,
): Promise<TransactionResult> =>
  transact(context, async (connection, commit) => {
    const newIds = await idsOfMade(connection, context.tables, work, group);
    const known = work.map((one) => withIds(one, group, newIds));
    const begun = await begin(context, connection, known, "skip");
    const commands = known.map(({ command }) => command);
    const isFree = begun.lockedElsewhere.size === 0;
    const replies = isFree
      ? callHandlers(() => answerGroup({ context, ...begun, newIds }, group, commands))
      : undefined;
    if (replies) {
      await commit(begun, replies);
      return { replies, lockedElsewhere: new Set() };
    }
    await connection.query("rollback");
    return { replies: [], lockedElsewhere: new Set(work.map(({ command }) => command)) };
  });

/**
 * The ids of what operations make that others refer to: those of stored replies where there are any, else new ones. So
 * all inputs are known before rows are loaded.
 * @returns the ids by command
 */
async function idsOfMade(
  connection: Queryable,
  tables: TableMap,
  work: readonly CommandToRun[],
  { operations }: RunningGroup,
): Promise<ReadonlyMap<string, number>> {
  const places = new Set([...operations.values()].flatMap(({ references }) => Object.values(references)));
  const [userId] = work.map(({ command }) => command.userId);
  const makers = [...places].flatMap((place) => operations.get(place) ?? []);
  if (makers.length === 0 || userId === undefined) return new Map();
  const state = emptyState(tables);
  const stored = makers.flatMap(({ name, id }) => storedReply({ name, id, userId }));
  await load(connection, tables, state, stored, "skip");
  const newIds = new Map<string, number>();
  for (const { command_id, reply } of ownRows(state.inbox, userId).all()) {
    const id = callHandlers(() => answeredId(JSON.parse(reply)));
    if (id !== undefined) newIds.set(command_id, id);
  }
  const unmade = makers
    .filter(({ id }) => !newIds.has(id))
    .map(({ id, name }) => ({ id, table: tableOf(name) }));
  const ids = createIds();
  await ids.reserve(connection, unmade);
  for (const { id, table } of unmade) newIds.set(id, ids.next(table));
  return newIds;
}

function tableOf(name: OperationName): NumberedTable {
  const { makes } = handlerOf(name);
  if (makes === undefined) throw new Error(`Nothing can refer to what ${name} makes.`);
  return makes;
}

function withIds(one: CommandToRun, { operations }: RunningGroup, newIds: ReadonlyMap<string, number>) {
  const operation = operations.get(one.command.ticket);
  if (!operation || Object.keys(operation.references).length === 0) return one;
  const idAt = (place: number) => newIds.get(operations.get(place)?.id ?? "");
  const { input, fingerprint } = resolved(operation, idAt);
  return { ...one, command: { ...one.command, input, fingerprint } };
}
