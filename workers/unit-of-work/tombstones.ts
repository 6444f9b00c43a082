/**
 * Clients that keep a copy are told of what is written to tables with tombstones, by the number of the transaction that
 * last wrote a row. Its default is the present one, in new rows as in `excluded`. Triggers do the same for other tables.
 */
export const changedXid = "changed_xid";

/** By key and never by ctid, which is unique in one partition only. Connections for writes plan it along the key. */
export const removal = (statement: string, kind: number): string => `
  with gone as (${statement} returning t.user_id, t.id)
  insert into deletions (user_id, changed_xid, kind, id, deleted_at)
  select g.user_id, pg_current_xact_id(), ${kind}, g.id, now() from gone g`;
