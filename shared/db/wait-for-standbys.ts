/**
 * After a restart of PostgreSQL, rows just read may not be on a synchronous standby yet. Only a commit with a
 * record in the write-ahead log waits for standbys, so this writes one. Rows read on a standby are there already.
 */
export const waitForStandbys = `
  select case when not pg_is_in_recovery() then pg_logical_emit_message(true, 'kept', '') end`;
