import { commands as contracts } from "../../../shared/contracts/catalogue.ts";
import { patienceMs, type QueuedCommand } from "../../../shared/queue/batch.ts";
import { keyedId } from "../../../shared/queue/command-id.ts";
import { messagesFor } from "../../handlers/approval.ts";
import type { Related } from "../../handlers/handler.ts";
import { handlers } from "../../handlers/index.ts";
import {
  type BatchTimes,
  lockKeys,
  noteRepliesSince,
  type Queryable,
  readTimes,
  takeTurnAfterWorks,
} from "../../unit-of-work/connection.ts";
import type { NewRow, OpenNewRows } from "../../unit-of-work/new-rows.ts";
import { forUpdate, requestId, type UserRowRequest, withoutLock } from "../../unit-of-work/row-request.ts";
import { emptyState, load, type OnLocked, type State } from "../../unit-of-work/state.ts";
import type { TableMap } from "../../unit-of-work/tables.ts";
import type { CommandToRun } from "../received.ts";
import { ownTables, type SharedContext } from "./handler-context.ts";

export type BeginContext = Readonly<{ tables: TableMap; openNewRows: OpenNewRows }>;

/** A transaction that has loaded and locked what its commands need. */
export type Begun = Omit<SharedContext, "context" | "newIds"> &
  Readonly<{
    /** Commands that are too late to run, and whether a missing reply may mean that they were applied. */
    late: ReadonlyMap<QueuedCommand, "no" | "unknown">;
    /** Commands on rows or keys that another transaction has locked, and all later ones of their users. */
    lockedElsewhere: ReadonlySet<QueuedCommand>;
    /** True if a command must wait until its user's long work has ended. */
    isAfterWork: boolean;
  }>;

/** A command runs only while its caller waits, and will still wait when the reply arrives. */
const runWithinMs = patienceMs - 300;

/** Milliseconds for which a slow command waits for a locked row. */
const lockTimeoutMs = 800;

/**
 * Begins a transaction in two rounds of queries: for rows that the input of the commands names, and for rows to
 * which these refer. Slow commands come after long work of their user.
 * @param isStep true for a transaction of that long work
 */
export async function begin(
  { tables, openNewRows }: BeginContext,
  connection: Queryable,
  work: readonly CommandToRun[],
  onLocked: OnLocked,
  isStep = false,
): Promise<Begun> {
  const commands = work.map(({ command }) => command);
  const keyed = commands.filter(({ fingerprint }) => fingerprint !== null);
  const userIds = [...new Set(commands.map(({ userId }) => userId))];
  const apart = isStep ? undefined : commands.find(({ name }) => takesTurn(name));
  const state = emptyState(tables);
  const newRows = openNewRows();
  const fulfil = ({ rows, makes }: Demand) =>
    Promise.all([
      makes.length > 0 && newRows.reserve(connection, makes),
      rows.length > 0 && load(connection, state, rows, onLocked),
    ]);
  const named = namedBy(work);
  // Keys are locked before the time is read: else this transaction could be in time, although another worker has found
  // the same command late meanwhile and said that it is not applied.
  const [, , turn, lockedKeys, times] = await Promise.all([
    isStep ? undefined : connection.query("begin"),
    onLocked === "wait" ? connection.query(`set local lock_timeout = ${lockTimeoutMs}`) : undefined,
    apart ? takeTurnAfterWorks(connection, apart.userId) : "taken",
    keyed.length > 0 ? lockKeys(connection, keyed) : new Set<string>(),
    readTimes(connection, userIds),
    fulfil(named),
  ]);
  if (times.repliesSince > times.nowMs) await noteRepliesSince(connection);
  const { late, ...related } = relatedTo(work, state, times, lockedKeys);
  // Long work has its person's consent.
  if (times.hasRules && !isStep) related.rows.push(...ruleRows(work, times));
  await fulfil(related);
  const repeats = new Set(work.flatMap(({ command, repeat }) => (repeat ? [command] : [])));
  const begun = { state, times, newRows, late, repeats, isAfterWork: turn === "after work" };
  if (turn === "taken" && lockedKeys.size === 0 && state.skipped.size === 0)
    return { ...begun, lockedElsewhere: new Set() };
  const locked = new Set(needing([...named.rows, ...related.rows], state));
  const isLocked = (command: QueuedCommand) =>
    turn !== "taken" || lockedKeys.has(command.id) || locked.has(command);
  return { ...begun, lockedElsewhere: withFollowing(commands, late, isLocked) };
}

/** Rows that commands need before their handlers run, and tables in which handlers may make rows. */
type Demand = Readonly<{ rows: NeededRow[]; makes: NewRow[] }>;

/**
 * The demand of the commands' input. A command without idempotency key has a new id, unless its job came twice.
 * Then the inbox refuses the id, and the next attempt looks for the stored reply.
 */
function namedBy(work: readonly CommandToRun[]): Demand {
  const demand: Demand = { rows: [], makes: [] };
  for (const { command, repeat, inGroup, hasId } of work) {
    const { userId, name, input, acceptedAt, fingerprint } = command;
    const { rows, makes, mayMake } = handlers[name];
    for (const row of rows?.(input, acceptedAt) ?? []) demand.rows.push({ ...row, userId, command });
    if (repeat || fingerprint !== null) demand.rows.push(...storedReplyOf(command));
    const table = inGroup ? (makes ?? mayMake) : makes;
    if (table) demand.makes.push({ userId, table, hasId });
  }
  return demand;
}

/** The demand of loaded rows, and the commands that are too late to run: only their stored replies are looked up. */
function relatedTo(
  work: readonly CommandToRun[],
  state: State,
  times: BatchTimes,
  lockedKeys: ReadonlySet<string>,
): Demand & Pick<Begun, "late"> {
  const late = new Map<QueuedCommand, "no" | "unknown">();
  const demand: Demand = { rows: [], makes: [] };
  for (const { command, maybeApplied } of work) {
    const { id, userId, name, input } = command;
    const { rows, makes = [] } = handlers[name].related?.(ownTables(state, userId), input) ?? nothing;
    for (const row of rows) demand.rows.push({ ...row, userId, command });
    for (const table of makes) demand.makes.push({ userId, table });
    const isLost = mayBeForgotten(command, times);
    if (!isLost && times.nowMs < command.sentAt + runWithinMs) continue;
    // The transaction that has locked a key may be about to commit an earlier attempt of the same request.
    late.set(command, isLost || maybeApplied || lockedKeys.has(id) ? "unknown" : "no");
    demand.rows.push(...storedReplyOf(command));
  }
  return { ...demand, late };
}

const nothing: Related = { rows: [] };

type Repeatable = Pick<QueuedCommand, "name" | "id" | "userId">;

/** The row that tells whether a command ran before; nothing for one that may run again. */
export const storedReplyRows = ({ name, id, userId }: Repeatable): UserRowRequest[] =>
  handlers[name].idempotent ? [] : [{ table: "inbox", key: [id], lock: "none", userId }];

const storedReplyOf = (command: QueuedCommand): NeededRow[] =>
  storedReplyRows(command).map((row) => ({ ...row, command }));

/** Closing an account ends its long work, so it does not wait for that. */
const takesTurn = (name: QueuedCommand["name"]): boolean =>
  contracts[name].apart === true && handlers[name].followUp === undefined;

/** True if a crash of PostgreSQL may have lost the reply. Then nobody knows whether the command ran. */
const mayBeForgotten = (command: QueuedCommand, { repliesSince }: BatchTimes): boolean =>
  command.fingerprint === null && !handlers[command.name].idempotent && !(command.sentAt >= repliesSince);

type NeededRow = UserRowRequest & Readonly<{ command: QueuedCommand }>;

/** @returns the commands of skipped rows */
const needing = (rows: readonly NeededRow[], { skipped }: State): QueuedCommand[] =>
  rows.flatMap((row) => (skipped.has(requestId(row)) ? row.command : []));

/** @returns the locked commands and all later ones of their users, except late ones */
function withFollowing(
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

/** The rows by which a request is judged, if its token has rules. A lock on them counts its changes exactly. */
function ruleRows(work: readonly CommandToRun[], { users }: BatchTimes): NeededRow[] {
  return unitsOf(work).flatMap((unit) => {
    const [{ command }] = unit;
    const token = command.call?.tokenId ?? "";
    if (!users.get(command.userId)?.ruled_tokens.includes(token)) return [];
    const rows = [
      forUpdate("token_rules", token),
      ...withoutLock("ruled_tokens", token),
      ...withoutLock("approvals", approvalIdOf(unit)),
      ...messagesFor(command).flatMap(({ id }) => withoutLock("reminder_deliveries", id)),
    ];
    return rows.map((row) => ({ ...row, userId: command.userId, command }));
  });
}

/** The commands of a request: one, or all of a group. */
export type Unit<Work = CommandToRun> = readonly [Work, ...Work[]];

function unitsOf(work: readonly CommandToRun[]): Unit[] {
  const [first, ...others] = work;
  if (!first) return [];
  return first.inGroup ? [[first, ...others]] : work.map((one): Unit => [one]);
}

/** The same request under the same key has one approval, also when its key is forgotten. */
export function approvalIdOf([first, ...others]: Unit<Readonly<{ command: QueuedCommand }>>): string {
  const { id, fingerprint } = first.command;
  if (fingerprint === null) return id;
  return keyedId(id, [fingerprint, ...others.map(({ command }) => command.fingerprint)].join(" "));
}
