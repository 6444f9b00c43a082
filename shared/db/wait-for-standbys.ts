/**
 * Rows just read may not be on a synchronous standby yet if PostgreSQL was restarted. A commit waits for standbys only
 * with a record in the write-ahead log, which this writes; rows read on a standby are there already.
 */
export const waitForStandbys = `
  select case when not pg_is_in_recovery() then pg_logical_emit_message(true, 'kept', '') end`;
