import type { Pool, PoolClient } from "pg";
import { waitForStandbys } from "../../shared/db/wait-for-standbys.ts";
import { writtenPosition } from "../../shared/db/written-position.ts";
import type { Outcome, QueuedCommand, Reply } from "../../shared/queue/batch.ts";
import { connect, markFailures, type Queryable } from "../unit-of-work/connection.ts";
import type { OnLocked } from "../unit-of-work/load.ts";
import { hasLoggedChange, save } from "../unit-of-work/save.ts";
import type { State } from "../unit-of-work/state.ts";
import { answerAll } from "./answer.ts";
import { type BeginContext, type Begun, begin } from "./begin.ts";
import { carryOutFirstSteps } from "./carry-out.ts";
import type { AnswerContext } from "./handler-context.ts";
import type { CommandToRun } from "./row-requests.ts";
import { callHandlers, failureOf, type TransactionFailed } from "./transaction-failed.ts";
import type { TransactionMetrics } from "./transaction-metrics.ts";

export type TransactionContext = BeginContext &
  AnswerContext &
  Readonly<{
    pool: Pool;
    /** Whether replies say where in the log their commit is, because front doors read from a standby. */
    givesPositions: boolean;
    metrics: Pick<TransactionMetrics, "committed">;
    /** Has the long work of a user carried on. */
    carryOn(userId: string): void;
  }>;

export type TransactionResult = Readonly<{
  replies: readonly Reply[];
  /**
   * Commands on rows or keys that another transaction has locked, with all that their users sent after them: nothing
   * was done for them.
   */
  lockedElsewhere: ReadonlySet<QueuedCommand>;
}>;

/**
 * Runs commands in one transaction: load and lock what they need, run their handlers in order, each on the state that
 * the earlier ones left, write all changes with the stored replies, commit. By PostgreSQL's clock, a command that has
 * waited too long is not run; only a reply that is stored already is looked up for it.
 * @throws TransactionFailed; then nothing was applied, unless it is `inDoubt`
 */
export const runTransaction = (
  context: TransactionContext,
  work: readonly CommandToRun[],
  onLocked: OnLocked,
): Promise<TransactionResult> =>
  transact(context, async (connection, commit) => {
    const begun = await begin(context, connection, work, onLocked);
    const { lockedElsewhere } = begun;
    const free = work.map(({ command }) => command).filter((command) => !lockedElsewhere.has(command));
    const replies = callHandlers(() => answerAll({ context, ...begun }, free));
    return { replies: await commit(begun, replies), lockedElsewhere };
  });

/** Writes what was changed and commits. @returns the replies as they can be sent */
type Commit = (
  begun: Pick<Begun, "state" | "quotaUses" | "byteUses">,
  replies: readonly Reply[],
) => Promise<readonly Reply[]>;

/**
 * Gives `run` a connection for a transaction, which it begins and ends itself.
 * @throws TransactionFailed; then the transaction is rolled back, unless it is `inDoubt`
 */
export async function transact<Result>(
  context: TransactionContext,
  run: (connection: Queryable, commit: Commit) => Promise<Result>,
): Promise<Result> {
  const { pool, givesPositions, metrics } = context;
  let client: PoolClient | undefined;
  let commitSent = false;
  try {
    client = await connect(pool);
    const connection = markFailures(client);
    const result = await run(connection, async ({ state, quotaUses, byteUses }, replies) => {
      const began = performance.now();
      byteUses.note(state);
      const writes = save(connection, state);
      const goesOn = await beginWorks(context, connection, state, writes);
      const marker = restsOnOthers(replies, state) ? [connection.query(waitForStandbys)] : [];
      commitSent = true;
      const sent = [...writes, ...marker, connection.query("commit")];
      // It travels right behind the commit and is read after it, so it costs no round trip and lies beyond it.
      const asked = givesPositions ? writtenPosition(connection) : undefined;
      const [position] = await Promise.all([asked, ...sent]);
      metrics.committed((performance.now() - began) / 1_000);
      quotaUses.committed();
      byteUses.committed();
      for (const userId of goesOn) context.carryOn(userId);
      return position === undefined ? replies : replies.map((reply) => ({ ...reply, position }));
    });
    client.release();
    return result;
  } catch (error) {
    const failure = failureOf(error, commitSent);
    if (client) await abandon(client, failure);
    throw failure;
  }
}

/** @returns the users whose long work goes on after this transaction; nearly all transactions begin none */
async function beginWorks(
  context: TransactionContext,
  connection: Queryable,
  state: State,
  writes: readonly Promise<unknown>[],
): Promise<readonly string[]> {
  if (!state.entries.has("works")) return [];
  await Promise.all(writes);
  return carryOutFirstSteps(context, connection, state);
}

/**
 * A transaction that writes nothing to the log commits without waiting for synchronous standbys. After a restart of the
 * primary, what it found may not have reached them yet, and an answer that rests on it would be broken by a fail-over.
 */
const restsOnOthers = (replies: readonly Reply[], state: State): boolean =>
  replies.some(({ replayed, outcome }) => replayed || tellsOfChange(outcome)) && !hasLoggedChange(state);

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
