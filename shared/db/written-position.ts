import type { QueryResult, QueryResultRow } from "pg";

type Queryable = Readonly<{
  query<Row extends QueryResultRow>(text: string, values: unknown[]): Promise<QueryResult<Row>>;
}>;

/**
 * A position in the write-ahead log, in bytes from its beginning. If commits wait for the disk, the flushed
 * position covers all of them; the inserted one might not reach a standby for long. The bound value lets PostgreSQL
 * prepare the statement.
 */
const statement = `
  select pg_wal_lsn_diff(
    case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end,
    $1::pg_lsn)::bigint as position`;

/**
 * Asks the primary for the end of its log.
 * @returns bytes; every earlier commit lies before them
 */
export async function writtenPosition(connection: Queryable): Promise<number> {
  const { rows } = await connection.query<{ position: number }>(statement, ["0/0"]);
  return rows[0]?.position ?? 0;
}

/**
 * After a restart of PostgreSQL, rows just read may not be on a synchronous standby yet. Only a commit with a
 * record in the write-ahead log waits for standbys, so this writes one. Rows read on a standby are there already.
 */
export const waitForStandbys = `
  select case when not pg_is_in_recovery() then pg_logical_emit_message(true, 'kept', '') end`;
