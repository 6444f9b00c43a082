import type { Pool } from "pg";

const columnChange = /\balter table [\w.]+\s+(?:add|drop|rename) (?!constraint\b|primary\b)/;
const [patienceMs, pauseMs] = [2_000, 5];

/**
 * Ends the sessions of roles, each when it is idle, if statements gave or took columns of a table. PostgreSQL refuses a
 * prepared statement for good when its result has other columns, as that of `select c.*` has.
 */
export async function renewSessions(pool: Pool, statements: readonly string[]): Promise<void> {
  if (!statements.some((statement) => columnChange.test(statement))) return;
  const { rows } = await pool.query("select clock_timestamp()::text as now");
  for (const end = performance.now() + patienceMs; performance.now() < end; await Bun.sleep(pauseMs))
    if ((await pool.query(endIdle, [rows[0].now])).rowCount === 0) return;
}

/** Sessions of other database users, as behind a pooler, cannot be ended, and end with the rolling deploy. */
const endIdle = `
  select case when state = 'idle' then pg_terminate_backend(pid) end from pg_stat_activity
  where datname = current_database() and application_name like 'kept-%' and application_name <> 'kept-migrations'
    and backend_start < $1::timestamptz and pg_has_role(usesysid, 'usage')`;
