import type { Pool, PoolClient } from "pg";
import { renewSessions } from "./sessions.ts";

/** A migration as its statements. An online one runs them one by one, any other in one transaction. */
export type ListedMigration = Readonly<{ name: string; isOnline: boolean; statements: readonly string[] }>;

/** Others queue behind a lock that is waited for. Workers give up on a lock after 100 ms. */
const lockTimeout = "50ms";
const [firstPauseMs, longestPauseMs, patienceMs] = [50, 2_000, 600_000];

const record = "insert into mikro_orm_migrations (name) values ($1)";

/**
 * Applies one migration and records it. A lock that is not free, or a deadlock, undoes the transaction, which then is
 * tried again after a pause. Sessions begin anew at once, because the rest of an online migration may take minutes.
 */
export async function applyMigration(
  pool: Pool,
  { name, isOnline, statements }: ListedMigration,
): Promise<void> {
  if (!isOnline) {
    await patiently(pool, name, (connection) => runTogether(connection, statements, name));
    return renewSessions(pool, statements);
  }
  for (const statement of statements) {
    await patiently(pool, name, (connection) => runAlone(connection, statement));
    await renewSessions(pool, [statement]);
  }
  await pool.query(record, [name]);
}

async function runTogether(connection: PoolClient, statements: readonly string[], name: string) {
  await connection.query(`begin; set local lock_timeout = '${lockTimeout}'`);
  for (const statement of statements) await connection.query(statement);
  await connection.query(record, [name]);
  await connection.query("commit");
}

/** Building an index waits for older transactions, which holds nobody up, so that it may wait for as long as they take. */
async function runAlone(connection: PoolClient, statement: string) {
  const isConcurrent = /^\s*(create|drop) index concurrently /.test(statement);
  await connection.query(`set lock_timeout = '${isConcurrent ? 0 : lockTimeout}'`);
  await connection.query(statement);
}

/** SQLSTATE of a lock that was not free in time, and of a deadlock. */
const busy: readonly unknown[] = ["55P03", "40P01"];

/** Runs work on a connection of its own, whose end undoes the transaction of a failure. */
async function patiently(pool: Pool, name: string, work: (connection: PoolClient) => Promise<void>) {
  const end = performance.now() + patienceMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const connection = await pool.connect();
    try {
      return await work(connection);
    } catch (error) {
      const isBusy = error instanceof Error && "code" in error && busy.includes(error.code);
      if (!isBusy) throw error;
      if (performance.now() > end)
        throw new Error(`${name} got no lock within 10 minutes: end long transactions, and run it again.`);
    } finally {
      connection.release(true);
    }
    await Bun.sleep(pauseMs * (0.5 + Math.random()));
  }
}
