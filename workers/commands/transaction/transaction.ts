import type { Pool, PoolClient } from "pg";
import { waitForStandbys } from "../../../shared/db/statements/statements.ts";
import type { SecurityLog } from "../../../shared/process/observe/security-log.ts";
import type { Tracing } from "../../../shared/process/observe/tracing.ts";
import type { Outcome } from "../../../shared/queue/batch.ts";
import { logEvents } from "../../handlers/journal.ts";
import { connect, markFailures, type Queryable } from "../../unit-of-work/connection.ts";
import { hasLoggedChange, type State, save } from "../../unit-of-work/state.ts";
import { type TransactionMetrics, transactionSpans } from "../metrics.ts";
import type { Answered, CommandToRun, ReceivedCommand, TransactionMode } from "../received.ts";
import { answerEach } from "./answer.ts";
import type { BeginContext, Begun } from "./begin.ts";
import { carryOutFirstSteps } from "./carry-out.ts";
import type { AnswerContext } from "./handler-context.ts";
import { answerOperations } from "./operations.ts";
import {
  failureOf,
  type RunContext,
  type RunResult,
  retryFailed,
  type TransactionFailed,
} from "./retries.ts";

export type TransactionContext = BeginContext &
  AnswerContext &
  Readonly<{
    pool: Pool;
    metrics: TransactionMetrics;
    security: SecurityLog;
    tracing?: Tracing | undefined;
    /** Asks for the next step of a user's long work. */
    carryOn(userId: string): void;
  }>;

/** Runs commands, and retries them if that can succeed. Never throws: every command is answered or locked elsewhere. */
export async function runCommands(
  context: TransactionContext & RunContext,
  received: readonly ReceivedCommand[],
  mode: TransactionMode,
  tries = 1,
): Promise<RunResult> {
  if (received.length === 0) return { replies: [], lockedElsewhere: [] };
  try {
    return await runTransaction(context, received, mode);
  } catch (error) {
    const attempt = { received, mode, tries };
    return retryFailed(context, error, attempt, (some, next) => runCommands(context, some, mode, next));
  }
}

/**
 * Runs commands in one transaction: loads and locks their rows, runs their handlers in order, each on the state
 * that the earlier ones left, writes all changes and replies, and commits. By PostgreSQL's clock, a command that
 * waited too long does not run; only its stored reply is looked up.
 * @throws TransactionFailed; then nothing was applied, unless it is `maybeApplied`
 */
export function runTransaction<Work extends CommandToRun>(
  context: TransactionContext,
  work: readonly Work[],
  mode: TransactionMode,
): Promise<Readonly<{ replies: Answered<Work>; lockedElsewhere: readonly Work[] }>> {
  const queue = typeof mode === "string" ? queues[mode] : "groups";
  return transact(context, { work, queue }, async (transaction) => {
    const { connection } = transaction;
    const { begun, replies, lockedElsewhere } =
      typeof mode === "string"
        ? await answerEach(context, connection, work, mode)
        : await answerOperations(context, connection, work, mode);
    if (replies) return { replies: await commit(context, transaction, begun, replies), lockedElsewhere };
    await connection.query("rollback");
    return { replies: [], lockedElsewhere };
  });
}

/** The name of each kind of transaction in the metrics; operations of a group have their own name. */
const queues = { skip: "batches", wait: "slow" };

type Timed = Readonly<{
  /** The name of this transaction's kind in the metrics. */
  queue: string;
  /** Commands whose traces get a step for this transaction. */
  work?: readonly CommandToRun[];
}>;

type Transaction = { readonly connection: Queryable; commitSent: boolean };

/**
 * Gives `run` a connection for a transaction, which `run` begins and ends.
 * @throws TransactionFailed; then the transaction is rolled back, unless it is `maybeApplied`
 */
export async function transact<Result>(
  { pool, metrics, tracing }: TransactionContext,
  { queue, work = [] }: Timed,
  run: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  const began = performance.now();
  const spans = tracing ? transactionSpans(tracing, work) : [];
  let client: PoolClient | undefined;
  let transaction: Transaction | undefined;
  let hasFailed = true;
  try {
    client = await connect(pool);
    transaction = { connection: markFailures(client), commitSent: false };
    const result = await run(transaction);
    client.release();
    hasFailed = false;
    return result;
  } catch (error) {
    const failure = failureOf(error, transaction?.commitSent ?? false);
    if (client) await abandon(client, failure);
    throw failure;
  } finally {
    metrics.ended(queue, (performance.now() - began) / 1_000);
    for (const span of spans) span.end({}, hasFailed);
  }
}

/**
 * Writes the changes and commits.
 * @returns the replies, ready to send
 */
async function commit<Work extends CommandToRun>(
  context: TransactionContext,
  transaction: Transaction,
  { state, newRows }: Begun,
  answered: Answered<Work>,
): Promise<Answered<Work>> {
  const { connection } = transaction;
  const began = performance.now();
  const sent = save(connection, state);
  const firstSteps = () => Promise.all(sent).then(() => carryOutFirstSteps(context, connection, state));
  const goesOn = state.entries.has("works") ? await firstSteps() : [];
  if (restsOnOthers(answered, state)) sent.push(connection.query(waitForStandbys));
  transaction.commitSent = true;
  sent.push(connection.query("commit"));
  await Promise.all(sent);
  context.metrics.committed((performance.now() - began) / 1_000);
  newRows.committed();
  if (state.entries.has("journal")) logEvents(context.security, state);
  for (const userId of goesOn) context.carryOn(userId);
  return answered;
}

/**
 * A transaction that writes nothing to the log commits without waiting for synchronous standbys. After a restart of
 * the primary, the rows that it read may not have reached them yet, and a fail-over would break its answer.
 */
const restsOnOthers = (answered: Answered<unknown>, state: State): boolean =>
  !hasLoggedChange(state) && answered.some(([, { replayed, outcome }]) => replayed || tellsOfChange(outcome));

const tellsOfChange = (outcome: Outcome): boolean => "body" in outcome || outcome.refusal.code === "conflict";

/** Closes a connection that may be lost, and any that does not roll back. */
async function abandon(client: PoolClient, { by }: TransactionFailed): Promise<void> {
  if (by === "outage") return client.release(true);
  const rolledBack = await client.query("rollback").then(
    () => true,
    () => false,
  );
  client.release(!rolledBack);
}
