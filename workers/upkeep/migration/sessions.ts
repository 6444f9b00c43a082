import type { Pool } from "pg";
import { inOneLine } from "./locks.ts";

const columnChange = /\balter table [\w.]+ (?:add|drop|rename) (?!constraint\b|primary\b)/;

/** True if a table gets or loses columns by one of the statements. */
export const changesColumns = (statements: readonly string[]): boolean =>
  statements.some((statement) => columnChange.test(inOneLine(statement)));

const [patienceMs, pauseMs] = [2_000, 5];

/**
 * Ends the sessions of roles that were open before, each when it is idle, and roles open others at once. PostgreSQL refuses
 * a prepared statement for good when its result has other columns, as that of `select c.*` has.
 */
export async function renewSessions(pool: Pool): Promise<void> {
  const { rows } = await pool.query("select clock_timestamp()::text as now");
  for (const end = performance.now() + patienceMs; performance.now() < end; await Bun.sleep(pauseMs)) {
    const { rowCount } = await pool.query(endIdle, [rows[0].now]);
    const { rows: left } = await pool.query(`select from pg_stat_activity where ${ofRoles}`, [rows[0].now]);
    if (rowCount === 0 && left.length === 0) return;
  }
}

/** Sessions of other database users, as behind a pooler, cannot be ended, and end with the rolling deploy. */
const ofRoles = `
  datname = current_database() and application_name like 'kept-%' and application_name <> 'kept-migrations'
  and backend_start < $1::timestamptz and pg_has_role(usesysid, 'usage')`;

const endIdle = `select pg_terminate_backend(pid) from pg_stat_activity where ${ofRoles} and state = 'idle'`;
