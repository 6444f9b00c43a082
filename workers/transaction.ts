import type { Pool, PoolClient } from "pg";
import type { Config } from "../shared/config.ts";
import type { QueuedCommand, Reply } from "../shared/queue/envelope.ts";
import { answerAll } from "./answer.ts";
import { needsOf, relatedNeeds } from "./needs.ts";
import { type Clocks, readClocks } from "./unit-of-work/clocks.ts";
import type { ReservedIds, ReserveIds } from "./unit-of-work/ids.ts";
import { load, needId, type UserNeed } from "./unit-of-work/load.ts";
import { save } from "./unit-of-work/save.ts";
import { emptyState, type State } from "./unit-of-work/state.ts";
import type { Tables } from "./unit-of-work/tables.ts";

export type TransactionContext = Readonly<{
  pool: Pool;
  tables: Tables;
  reserveIds: ReserveIds;
  config: Pick<Config, "defaultTimeZone">;
}>;

export type Folded = Readonly<{
  replies: readonly Reply[];
  /** Commands on rows that another transaction holds; untouched. */
  busy: readonly QueuedCommand[];
}>;

/** Thrown when a transaction failed. `commitSent`: it may have been applied all the same. */
export class TransactionFailed extends Error {
  constructor(
    override readonly cause: unknown,
    readonly commitSent: boolean,
  ) {
    super("transaction failed", { cause });
  }
}

/** How a transaction takes its commands. */
export type Try = Readonly<{
  /** Leave out commands on rows that are held elsewhere, instead of waiting for them a while. */
  stepAside: boolean;
  /** Whether these commands are tried for the first time, as far as this worker knows. */
  first: boolean;
}>;

/**
 * Folds commands into one transaction: load and lock what they need, run their handlers in order on the
 * state that the earlier ones left, write all changes with the stored replies, commit.
 * @throws TransactionFailed; then nothing was applied, unless `commitSent`
 */
export async function fold(
  context: TransactionContext,
  commands: readonly QueuedCommand[],
  { stepAside, first }: Try,
): Promise<Folded> {
  let commitSent = false;
  let client: PoolClient | undefined;
  let ids: ReservedIds | undefined;
  try {
    ids = await context.reserveIds(commands.length);
    client = await context.pool.connect();
    const needs = commands.map((command) => needsOf(command, first));
    const userIds = new Set(commands.map(({ userId }) => userId));
    const { state, clocks, busy } = await begin(context, client, { userIds, needs: needs.flat(), stepAside });
    const free = commands.filter((_, index) => !needs[index]?.some((need) => busy.has(needId(need))));
    const replies = answerAll({ context, state, clocks, ids }, free);
    commitSent = true;
    await Promise.all([...save(client, context.tables, state), client.query("commit")]);
    client.release();
    return { replies, busy: commands.filter((command) => !free.includes(command)) };
  } catch (error) {
    await abandon(client, error);
    throw new TransactionFailed(error, commitSent && !isDatabaseError(error));
  } finally {
    ids?.giveBack();
  }
}

/** An answer of Postgres, as against a connection that broke. */
export function isDatabaseError(error: unknown): error is Error & { code: string; severity: string } {
  return error instanceof Error && "severity" in error && error.severity === "ERROR";
}

async function abandon(client: PoolClient | undefined, error: unknown): Promise<void> {
  if (!client) return;
  if (!isDatabaseError(error)) return client.release(true);
  const rolledBack = await client.query("rollback").then(
    () => true,
    () => false,
  );
  client.release(!rolledBack);
}

type Wanted = { userIds: ReadonlySet<string>; needs: readonly UserNeed[]; stepAside: boolean };
type Begun = { state: State; clocks: Clocks; busy: ReadonlySet<string> };

async function begin(
  { tables }: TransactionContext,
  client: PoolClient,
  { userIds, needs, stepAside }: Wanted,
): Promise<Begun> {
  const state = emptyState(tables);
  const [, clocks, busy] = await Promise.all([
    client.query("begin"),
    readClocks(client, userIds),
    load(client, tables, state, needs, stepAside),
  ]);
  await load(client, tables, state, relatedNeeds(state), false);
  return { state, clocks, busy };
}
