/**
 * What was read may be on no synchronous standby yet, if PostgreSQL was started anew. A commit waits for them only with a
 * record in the write-ahead log, which this writes; what is read on a standby is there.
 */
export const waitForStandbys = `
  select case when not pg_is_in_recovery() then pg_logical_emit_message(true, 'kept', '') end`;
