import type { Pool, PoolClient } from "pg";
import type { Config } from "../../shared/process/config.ts";
import { patienceMs, type QueuedCommand, type Reply } from "../../shared/queue/batch.ts";
import { type BatchTimes, readTimes } from "../unit-of-work/batch-times.ts";
import { createIds, type Ids, type NumberedTable } from "../unit-of-work/ids.ts";
import { lockKeys } from "../unit-of-work/key-locks.ts";
import { load, needId } from "../unit-of-work/load.ts";
import type { Quotas, Wanted } from "../unit-of-work/quotas.ts";
import { save } from "../unit-of-work/save.ts";
import { emptyState, type State } from "../unit-of-work/state.ts";
import type { Tables } from "../unit-of-work/tables.ts";
import { answerAll } from "./answer.ts";
import { isAnswer, isRolledBack } from "./database-error.ts";
import { madeBy, needsOf, relatedNeeds, storedReply, successorsOf } from "./row-requests.ts";

export type TransactionContext = Readonly<{
  pool: Pool;
  tables: Tables;
  quotas: Quotas;
  config: Pick<Config, "defaultTimeZone">;
}>;

/** A command to be carried out; `repeat`: it may have been before, so that its stored reply is looked for. */
export type Work = Readonly<{ command: QueuedCommand; repeat: boolean }>;

export type Folded = Readonly<{
  replies: readonly Reply[];
  /** Commands on rows or keys that another transaction holds: untouched, and still worth another try. */
  locked: ReadonlySet<QueuedCommand>;
}>;

/** Thrown when a transaction failed: by the handlers' own fault, by an answer of PostgreSQL, or by its loss. */
export class TransactionFailed extends Error {
  constructor(
    override readonly cause: unknown,
    readonly by: "handler" | "database" | "outage",
    /** Whether it may have been applied all the same. */
    readonly inDoubt: boolean,
  ) {
    super("transaction failed", { cause });
  }
}

/** A command is begun only while its caller still waits, and will when the answer comes. */
export const beginWithinMs = patienceMs - 300;

/**
 * Folds commands into one transaction: load and lock what they need, run their handlers in order on the state that
 * the earlier ones left, write all changes with the stored replies, commit. Only what has waited too long is not
 * begun any more, by PostgreSQL's clock: of that, the inbox is all that is looked at.
 * @param wait whether to wait for rows that are held elsewhere, instead of leaving their commands out
 * @throws TransactionFailed; then nothing was applied, unless `inDoubt`
 */
export async function fold(
  context: TransactionContext,
  work: readonly Work[],
  wait: boolean,
): Promise<Folded> {
  let commitSent = false;
  let client: PoolClient | undefined;
  try {
    client = await context.pool.connect();
    const begun = await begin(context, client, work, wait);
    const free = work.map(({ command }) => command).filter((command) => !begun.locked.has(command));
    const replies = runHandlers(context, begun, free);
    commitSent = true;
    await Promise.all([...save(client, context.tables, begun.state), client.query("commit")]);
    client.release();
    return { replies, locked: begun.locked };
  } catch (error) {
    await abandon(client, error);
    if (error instanceof TransactionFailed) throw error;
    const by = isAnswer(error) ? "database" : "outage";
    throw new TransactionFailed(error, by, commitSent && !isRolledBack(error));
  }
}

type Begun = Readonly<{
  state: State;
  clocks: BatchTimes;
  ids: Ids;
  /** Commands that come too late to be begun. */
  late: ReadonlySet<QueuedCommand>;
  /** Ids of commands whose idempotency key another transaction holds. */
  heldKeys: ReadonlySet<string>;
  locked: ReadonlySet<QueuedCommand>;
}>;

async function begin(
  { tables, quotas }: TransactionContext,
  client: PoolClient,
  work: readonly Work[],
  wait: boolean,
): Promise<Begun> {
  const commands = work.map(({ command }) => command);
  const state = emptyState(tables);
  const ids = createIds();
  const own = work.map(({ command, repeat }) => needsOf(command, repeat));
  const made = commands.map(madeBy);
  const [, , clocks, heldKeys, , , held] = await Promise.all([
    client.query("begin"),
    wait ? client.query(`set local lock_timeout = ${waitMs}`) : undefined,
    readTimes(client, new Set(commands.map(({ userId }) => userId))),
    lockKeys(client, commands),
    ids.reserve(client, made.flat()),
    quotas.learn(client, wantedOf(commands, made)),
    load(client, tables, state, own.flat(), wait),
  ]);
  const late = new Set(commands.filter(({ sentAt }) => !(clocks.at < sentAt + beginWithinMs)));
  const related = own.map((needs) => relatedNeeds(state, needs));
  const successors = own.map((needs) => successorsOf(state, needs));
  const unseen = [...late].flatMap(storedReply);
  const [, , alsoHeld] = await Promise.all([
    ids.reserve(client, successors.flat()),
    quotas.learn(client, wantedOf(commands, successors)),
    load(client, tables, state, [...related.flat(), ...unseen], wait),
  ]);
  const isHeld = (index: number): boolean =>
    [...(own[index] ?? []), ...(related[index] ?? [])]
      .map(needId)
      .some((id) => held.has(id) || alsoHeld.has(id));
  const locked = new Set(
    commands.filter((command, index) => !late.has(command) && (heldKeys.has(command.id) || isHeld(index))),
  );
  return { state, clocks, ids, late, heldKeys, locked };
}

/** As long as a command that travels alone waits for a row that another transaction holds. */
const waitMs = 800;

const wantedOf = (
  commands: readonly QueuedCommand[],
  tables: readonly (readonly NumberedTable[])[],
): Wanted[] =>
  commands.flatMap(({ userId }, index) => (tables[index] ?? []).map((table) => ({ userId, table })));

function runHandlers(context: TransactionContext, begun: Begun, commands: readonly QueuedCommand[]): Reply[] {
  try {
    return answerAll({ context, ...begun }, commands);
  } catch (error) {
    throw new TransactionFailed(error, "handler", false);
  }
}

async function abandon(client: PoolClient | undefined, error: unknown): Promise<void> {
  if (!client) return;
  if (!(error instanceof TransactionFailed) && !isAnswer(error)) return client.release(true);
  const rolledBack = await client.query("rollback").then(
    () => true,
    () => false,
  );
  client.release(!rolledBack);
}
