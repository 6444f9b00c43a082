import type { Engine } from "../../shared/db/engine.ts";
import { patienceMs, type QueuedCommand } from "../../shared/queue/batch.ts";
import { handlerOf } from "../handlers/index.ts";
import { type BatchTimes, noteRepliesSince, readTimes } from "../unit-of-work/batch-times.ts";
import type { Queryable } from "../unit-of-work/connection.ts";
import { createIds, type Ids } from "../unit-of-work/ids.ts";
import { lockKeys } from "../unit-of-work/key-locks.ts";
import { load, type OnLocked } from "../unit-of-work/load.ts";
import type { Quotas, QuotaUses } from "../unit-of-work/quotas.ts";
import { requestId, type UserRowRequest } from "../unit-of-work/row-request.ts";
import { emptyState, type State } from "../unit-of-work/state.ts";
import type { TableMap } from "../unit-of-work/table.ts";
import { type CommandToRun, type Demand, demandOf, relatedDemandOf, storedReply } from "./row-requests.ts";
import { callHandlers } from "./transaction-failed.ts";

export type BeginContext = Readonly<{
  engine: Engine;
  tables: TableMap;
  quotas: Quotas;
}>;

/** A transaction that has loaded and locked what its commands need. */
export type Begun = Readonly<{
  state: State;
  times: BatchTimes;
  ids: Ids;
  quotaUses: QuotaUses;
  /** Commands that come too late to be run, and whether they may have been applied if no reply is stored. */
  late: ReadonlyMap<QueuedCommand, "no" | "unknown">;
  /** Commands on rows or keys that another transaction has locked. */
  lockedElsewhere: ReadonlySet<QueuedCommand>;
  /** Commands that may have run before. */
  repeats: ReadonlySet<QueuedCommand>;
}>;

/** A command is run only while its caller still waits, and will still wait when the reply comes. */
const runWithinMs = patienceMs - 300;

/** How long a slow command waits for a row that another transaction has locked. */
const lockTimeoutMs = 800;

/**
 * Begins a transaction in two rounds of queries, each sent at once: for what the input of the commands names, and for
 * what the loaded rows refer to.
 */
export async function begin(
  { engine, tables, quotas }: BeginContext,
  connection: Queryable,
  work: readonly CommandToRun[],
  onLocked: OnLocked,
): Promise<Begun> {
  const commands = work.map(({ command }) => command);
  const state = emptyState(tables);
  const ids = createIds();
  /** @returns the ids of rows that another transaction has locked */
  const fulfil = async (demands: readonly Demand[], replies: readonly UserRowRequest[] = []) => {
    const makes = demands.flatMap((demand) => demand.makes);
    const needsIds = demands.flatMap((demand) => demand.needsIds);
    const rows = demands.flatMap((demand) => demand.rows);
    const [, , skipped] = await Promise.all([
      ids.reserve(connection, needsIds),
      quotas.learn(connection, makes),
      load(connection, tables, state, [...rows, ...replies], onLocked),
    ]);
    return skipped;
  };
  const named = callHandlers(() => work.map(demandOf));
  const [, , times, lockedKeys, skipped] = await Promise.all([
    connection.query("begin"),
    onLocked === "wait" ? connection.query(`set local lock_timeout = ${lockTimeoutMs}`) : undefined,
    readTimes(connection, engine, new Set(commands.map(({ userId }) => userId))),
    lockKeys(connection, commands),
    fulfil(named),
  ]);
  await noteRepliesSince(connection, times);
  const late = lateOf(commands, times, lockedKeys);
  const related = callHandlers(() => commands.map((command) => relatedDemandOf(state, command)));
  const alsoSkipped = await fulfil(related, [...late.keys()].flatMap(storedReply));
  const isSkipped = (row: UserRowRequest) => skipped.has(requestId(row)) || alsoSkipped.has(requestId(row));
  const isLocked = (command: QueuedCommand, index: number): boolean =>
    lockedKeys.has(command.id) || [named, related].some((demands) => demands[index]?.rows.some(isSkipped));
  const lockedElsewhere = new Set(
    commands.filter((command, index) => !late.has(command) && isLocked(command, index)),
  );
  const repeats = new Set(work.flatMap(({ command, repeat }) => (repeat ? [command] : [])));
  return { state, times, ids, quotaUses: quotas.open(), late, lockedElsewhere, repeats };
}

/**
 * After a crash of PostgreSQL nobody knows whether a command without a key that was sent before it was run. And the
 * transaction that has locked a key may be about to commit an earlier attempt of the same request.
 */
function lateOf(
  commands: readonly QueuedCommand[],
  { nowMs, repliesSince }: BatchTimes,
  lockedKeys: ReadonlySet<string>,
): Begun["late"] {
  const late = new Map<QueuedCommand, "no" | "unknown">();
  for (const command of commands) {
    const { id, name, fingerprint, sentAt, readsAgain } = command;
    const hasUnloggedReply = fingerprint === null && !readsAgain && !handlerOf(name).idempotent;
    const isForgotten = hasUnloggedReply && !(sentAt >= (repliesSince ?? Number.POSITIVE_INFINITY));
    if (isForgotten) late.set(command, "unknown");
    else if (!(nowMs < sentAt + runWithinMs)) late.set(command, lockedKeys.has(id) ? "unknown" : "no");
  }
  return late;
}
