/**
 * The number of the transaction that last wrote a row, from which clients with a copy learn of changes. Its default
 * is the present transaction, in new rows and in `excluded`. Triggers set it in tables without tombstones.
 */
export const changedXid = "changed_xid";

/** Deletes rows and writes their tombstones. The statement names rows by key: a ctid is unique in one partition only. */
export const removal = (statement: string, kind: number): string => `
  with gone as (${statement} returning t.user_id, t.id)
  insert into deletions (user_id, changed_xid, kind, id, deleted_at)
  select g.user_id, pg_current_xact_id(), ${kind}, g.id, now() from gone g`;
