import type { Pool, PoolClient } from "pg";
import { type Locks, stopsWrites } from "./locks.ts";
import type { ListedMigration } from "./pending.ts";

/** Others queue behind a lock that is waited for. Workers give up on a lock after 100 ms. */
const lockTimeout = "50ms";
const [firstPauseMs, longestPauseMs, patienceMs] = [50, 2_000, 600_000];

/**
 * Applies one migration and records it. A lock that is not free, or a deadlock, undoes the transaction, which then is
 * tried again after a pause.
 * @param committed called after each transaction, with its statements
 */
export async function applyMigration(
  pool: Pool,
  migration: ListedMigration,
  locks: Locks,
  committed: (statements: readonly string[]) => Promise<void>,
): Promise<void> {
  const { isOnline, statements, name } = migration;
  if (!isOnline) {
    await patiently(migration, () => applyAtOnce(pool, migration, locks));
    return committed(statements);
  }
  for (const statement of statements) {
    await patiently(migration, () => runAlone(pool, statement));
    await committed([statement]);
  }
  await pool.query(record, [name]);
}

const record = "insert into mikro_orm_migrations (name) values ($1)";

/** Takes the locks first and in the order of the tables' names, so that none is held while work is done for nothing. */
async function applyAtOnce(pool: Pool, { name, statements }: ListedMigration, locks: Locks): Promise<void> {
  await withConnection(pool, async (connection) => {
    await connection.query("begin");
    await connection.query(`set local lock_timeout = '${lockTimeout}'`);
    for (const [table, mode] of locks)
      if (stopsWrites(mode) && (await exists(connection, table)))
        await connection.query(`lock table ${table} in ${mode} mode`);
    for (const statement of statements) await connection.query(statement);
    await connection.query(record, [name]);
    await connection.query("commit");
  });
}

async function exists(connection: PoolClient, table: string): Promise<boolean> {
  const { rows } = await connection.query("select to_regclass($1) is not null as found", [table]);
  return rows[0].found;
}

/** Building an index waits for older transactions, which holds nobody up, so that it may wait for as long as they take. */
async function runAlone(pool: Pool, statement: string): Promise<void> {
  const isConcurrent = /^\s*(create|drop) index concurrently /.test(statement);
  await withConnection(pool, async (connection) => {
    await connection.query(`set lock_timeout = '${isConcurrent ? 0 : lockTimeout}'`);
    await dropInvalid(connection, statement);
    await connection.query(statement);
  });
}

/** A build that failed leaves an index that is not used and yet costs every write. */
async function dropInvalid(connection: PoolClient, statement: string): Promise<void> {
  const [, index] = /^\s*create index concurrently if not exists (\w+) /.exec(statement) ?? [];
  if (!index) return;
  const { rows } = await connection.query(
    "select from pg_index where indexrelid = to_regclass($1) and not indisvalid",
    [index],
  );
  if (rows.length > 0) await connection.query(`drop index concurrently ${index}`);
}

/** After a failure the connection is closed, which ends its transaction. */
async function withConnection(pool: Pool, work: (connection: PoolClient) => Promise<void>): Promise<void> {
  const connection = await pool.connect();
  let hasFailed = true;
  try {
    await work(connection);
    hasFailed = false;
  } finally {
    connection.release(hasFailed);
  }
}

/** SQLSTATE of a lock that was not free in time, and of a deadlock. */
const busy: readonly unknown[] = ["55P03", "40P01"];

async function patiently({ name }: ListedMigration, work: () => Promise<void>): Promise<void> {
  const begun = performance.now();
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await work();
    } catch (error) {
      const isBusy = error instanceof Error && "code" in error && busy.includes(error.code);
      if (!isBusy) throw error;
      if (performance.now() - begun > patienceMs)
        throw new Error(`${name} got no lock within 10 minutes: end long transactions, and run it again.`);
    }
    await Bun.sleep(pauseMs * (0.5 + Math.random()));
  }
}
