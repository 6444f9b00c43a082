import type { Pool } from "pg";

type Connections = Pick<Pool, "query">;

const batch = 10_000;

/** The keys of the oldest rows that have been kept for 30 days. */
const oldRows = (table: string, key: string, time: string): string => `(
  select ${key} from ${table}
  where ${time} < now() + $1::interval - interval '30 days' order by ${time} limit ${batch}) old`;

/** In small batches, so that no other statement waits long. @returns how many rows were deleted */
async function deleteInBatches(pool: Connections, sql: string, travel: string): Promise<number> {
  let deleted = 0;
  for (let rows = batch; rows === batch; deleted += rows)
    rows = (await pool.query(sql, [travel])).rowCount ?? 0;
  return deleted;
}

const oldDeliveries = `
  delete from reminder_deliveries d using ${oldRows("reminder_deliveries", "user_id, id", "created_at")}
  where d.user_id = old.user_id and d.id = old.id`;

/** @param travel the interval by which tests travel in time */
export const pruneDeliveries = (pool: Connections, travel = "0"): Promise<number> =>
  deleteInBatches(pool, oldDeliveries, travel);

const oldDeletions = `
  with gone as (
    delete from deletions d using ${oldRows("deletions", "user_id, changed_xid, kind, id", "deleted_at")}
    where d.user_id = old.user_id and d.changed_xid = old.changed_xid and d.kind = old.kind and d.id = old.id
    returning d.changed_xid
  ), noted as (
    update change_horizon set pruned_xid = greatest(pruned_xid, (select max(changed_xid) from gone))
    where exists (select from gone)
  )
  select from gone`;

/**
 * A client whose copy may still have what is forgotten here is told to begin anew.
 * @param travel the interval by which tests travel in time
 */
export const pruneDeletions = (pool: Connections, travel = "0"): Promise<number> =>
  deleteInBatches(pool, oldDeletions, travel);
