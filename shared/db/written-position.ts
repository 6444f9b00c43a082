import type { QueryResult, QueryResultRow } from "pg";

type Queryable = Readonly<{
  query<Row extends QueryResultRow>(text: string, values: unknown[]): Promise<QueryResult<Row>>;
}>;

/**
 * A position in the write-ahead log that counts from the log's beginning. Where commits wait for the disk, what is
 * flushed has all of them; what is inserted only might not reach a standby for long. The value bound here lets the
 * statement be prepared.
 */
const statement = `
  select pg_wal_lsn_diff(
    case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end,
    $1::pg_lsn)::bigint as position`;

/**
 * Asks the primary how far its log goes.
 * @returns bytes; everything that was committed before the call lies before that
 */
export async function writtenPosition(connection: Queryable): Promise<number> {
  const { rows } = await connection.query<{ position: number }>(statement, ["0/0"]);
  return rows[0]?.position ?? 0;
}
