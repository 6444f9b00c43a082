import type { Pool, PoolClient, QueryResult, QueryResultRow } from "pg";
import { DatabaseFailure } from "../../shared/db/database-failure.ts";
import type { QueuedCommand } from "../../shared/queue/batch.ts";

/** A connection or pool that takes statements. A connection sends them in the order of the calls. */
export type Queryable = Readonly<{
  query<Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<Row>>;
}>;

const markFailure = (error: unknown): never => {
  throw new DatabaseFailure(error);
};

/** @throws DatabaseFailure when no connection can be had */
export const connect = (pool: Pool): Promise<PoolClient> => pool.connect().catch(markFailure);

/** Marks failed queries here, so that an error of the workers' own code never looks like an outage. */
export const markFailures = (connection: Queryable): Queryable => ({
  query: <Row extends QueryResultRow>(text: string, values?: unknown[]) =>
    connection.query<Row>(text, values).catch(markFailure),
});

const keyLocks = `
  select v.id, pg_try_advisory_xact_lock(v.lock) as free from unnest($1::text[], $2::bigint[]) v(id, lock)`;

/**
 * Locks the keys of commands with an idempotency key for this transaction: of two simultaneous repeats one runs,
 * and the other finds its reply. It never waits, and must be sent before the query for stored replies.
 * @returns the ids of commands whose key another transaction has locked
 */
export async function lockKeys(
  connection: Queryable,
  commands: readonly QueuedCommand[],
): Promise<ReadonlySet<string>> {
  const ids = commands.map(({ id }) => id);
  const { rows } = await connection.query<{ id: string; free: boolean }>(keyLocks, [ids, ids.map(lockOf)]);
  return new Set(rows.flatMap(({ id, free }) => (free ? [] : [id])));
}

/** PostgreSQL locks by a signed 64-bit number: the first half of the id, which is a hash of user and key. */
const lockOf = (id: string): string =>
  BigInt.asIntN(64, BigInt(`0x${id.replaceAll("-", "").slice(0, 16)}`)).toString();

const turnLock = "select pg_try_advisory_xact_lock(hashtextextended('works ' || $1, 0)) as free";
const openWork = "select from works where user_id = $1 and ended_at is null limit 1";

/**
 * Takes the user's turn until the transaction ends: only one slow command, group or step of a user runs at a time,
 * on any worker.
 */
export async function takeTurn(connection: Queryable, userId: string): Promise<boolean> {
  const { rows } = await connection.query<{ free: boolean }>(turnLock, [userId]);
  return rows[0]?.free === true;
}

/** Takes the turn for a slow command or group; long work of its user goes first. */
export async function takeTurnAfterWorks(
  connection: Queryable,
  userId: string,
): Promise<"taken" | "locked" | "after work"> {
  const [isFree, { rowCount }] = await Promise.all([
    takeTurn(connection, userId),
    connection.query(openWork, [userId]),
  ]);
  return isFree ? (rowCount === 0 ? "taken" : "after work") : "locked";
}
