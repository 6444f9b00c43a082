import { commands as contracts } from "../../../shared/contracts/catalogue.ts";
import { patienceMs, type QueuedCommand } from "../../../shared/queue/batch.ts";
import { handlerOf } from "../../handlers/index.ts";
import { type BatchTimes, noteRepliesSince, readTimes } from "../../unit-of-work/batch-times.ts";
import type { ByteLedger, ByteUses } from "../../unit-of-work/bytes/ledger.ts";
import type { Queryable } from "../../unit-of-work/connection.ts";
import { load, type OnLocked } from "../../unit-of-work/load.ts";
import { lockKeys, takeTurnAfterWorks } from "../../unit-of-work/locks.ts";
import type { OpenNewRows } from "../../unit-of-work/new-rows.ts";
import { requestId, type UserRowRequest } from "../../unit-of-work/row-request.ts";
import { emptyState } from "../../unit-of-work/state.ts";
import type { TableMap } from "../../unit-of-work/tables.ts";
import type { CommandToRun } from "../received.ts";
import { type Demand, demandOf, relatedDemandOf, replyDemandOf } from "./demands.ts";
import type { SharedContext } from "./handler-context.ts";

export type BeginContext = Readonly<{ tables: TableMap; openNewRows: OpenNewRows; ledger: ByteLedger }>;

/** A transaction that has loaded and locked what its commands need. */
export type Begun = Omit<SharedContext, "context" | "newIds"> &
  Readonly<{
    byteUses: ByteUses;
    /** Commands that come too late to be run, and whether they may have been applied if no reply is stored. */
    late: ReadonlyMap<QueuedCommand, "no" | "unknown">;
    /** Commands on rows or keys that another transaction has locked, with all that their users sent after them. */
    lockedElsewhere: ReadonlySet<QueuedCommand>;
    /** Whether a command has to wait until long work of its user has ended. */
    isAfterWork: boolean;
  }>;

/** A command is run only while its caller still waits, and will still wait when the reply comes. */
const runWithinMs = patienceMs - 300;

/** How long a slow command waits for a row that another transaction has locked. */
const lockTimeoutMs = 800;

/**
 * Begins a transaction in two rounds of queries, each sent at once: for what the input of the commands names, and for
 * what the loaded rows refer to. Commands that are apart come after long work of their user.
 * @param isStep whether the transaction is a step of long work, which has begun it
 */
export async function begin(
  { tables, openNewRows, ledger }: BeginContext,
  connection: Queryable,
  work: readonly CommandToRun[],
  onLocked: OnLocked,
  isStep = false,
): Promise<Begun> {
  const commands = work.map(({ command }) => command);
  const userIds = [...new Set(commands.map(({ userId }) => userId))];
  const apart = isStep ? undefined : commands.find(({ name }) => takesTurn(name));
  const state = emptyState(tables);
  const newRows = openNewRows();
  const fulfil = (demands: readonly Demand[]) => {
    const makes = demands.flatMap((demand) => demand.makes);
    const rows = demands.flatMap((demand) => demand.rows);
    return Promise.all([newRows.reserve(connection, makes), load(connection, state, rows, onLocked)]);
  };
  const named = work.map(demandOf);
  const [, , turn, times, lockedKeys] = await Promise.all([
    isStep ? undefined : connection.query("begin"),
    onLocked === "wait" ? connection.query(`set local lock_timeout = ${lockTimeoutMs}`) : undefined,
    apart ? takeTurnAfterWorks(connection, apart.userId) : "taken",
    readTimes(connection, userIds),
    lockKeys(connection, commands),
    fulfil(named),
    ledger.learn(connection, userIds),
  ]);
  await noteRepliesSince(connection, times);
  const late = lateOf(work, times, lockedKeys);
  const related = commands.map((command) => relatedDemandOf(state, command));
  await fulfil([...related, ...[...late.keys()].map(replyDemandOf)]);
  const isSkipped = (row: UserRowRequest) => state.skipped.has(requestId(row));
  const isLocked = (command: QueuedCommand, index: number): boolean =>
    turn !== "taken" ||
    lockedKeys.has(command.id) ||
    [named, related].some((demands) => demands[index]?.rows.some(isSkipped));
  const isFree = turn === "taken" && lockedKeys.size === 0 && state.skipped.size === 0;
  const lockedElsewhere = isFree ? none : lockedOf(commands, late, isLocked);
  const free = commands.filter((command) => !lockedElsewhere.has(command));
  return {
    ...{ state, times, newRows, late, lockedElsewhere },
    byteUses: ledger.open(free, times.nowMs),
    repeats: new Set(work.flatMap(({ command, repeat }) => (repeat ? [command] : []))),
    isAfterWork: turn === "after work",
  };
}

/** Closing an account ends its long work, so it does not wait for that. */
const takesTurn = (name: QueuedCommand["name"]): boolean =>
  contracts[name].apart === true && handlerOf(name).followUp === undefined;

/**
 * After a crash of PostgreSQL nobody knows whether a command without a key that was sent before it was run. And the
 * transaction that has locked a key may be about to commit an earlier attempt of the same request.
 */
function lateOf(
  work: readonly CommandToRun[],
  { nowMs, repliesSince }: BatchTimes,
  lockedKeys: ReadonlySet<string>,
): Begun["late"] {
  const late = new Map<QueuedCommand, "no" | "unknown">();
  for (const { command, inDoubt } of work) {
    const { id, name, fingerprint, sentAt, readsAgain } = command;
    const hasUnloggedReply = fingerprint === null && !readsAgain && !handlerOf(name).idempotent;
    const isForgotten = hasUnloggedReply && !(sentAt >= (repliesSince ?? Number.POSITIVE_INFINITY));
    if (isForgotten) late.set(command, "unknown");
    else if (!(nowMs < sentAt + runWithinMs))
      late.set(command, inDoubt || lockedKeys.has(id) ? "unknown" : "no");
  }
  return late;
}

const none: ReadonlySet<QueuedCommand> = new Set();

function lockedOf(
  commands: readonly QueuedCommand[],
  late: Begun["late"],
  isLocked: (command: QueuedCommand, index: number) => boolean,
): ReadonlySet<QueuedCommand> {
  const locked = new Set<QueuedCommand>();
  const waiting = new Set<string>();
  for (const [index, command] of commands.entries()) {
    if (late.has(command) || !(waiting.has(command.userId) || isLocked(command, index))) continue;
    waiting.add(command.userId);
    locked.add(command);
  }
  return locked;
}
