import type { Pool, PoolClient } from "pg";

type Client = Pick<Pool | PoolClient, "query">;

const batch = 10_000;

/** The places of the oldest rows that have been kept for 30 days. */
const oldRows = (table: string, time: string): string => `any(array(
  select ctid from ${table}
  where ${time} < now() + $1::interval - interval '30 days' order by ${time} limit ${batch}))`;

/** In small batches, so that no other statement waits long. @returns how many rows were deleted */
async function deleteInBatches(client: Client, sql: string, travel: string): Promise<number> {
  let deleted = 0;
  for (let rows = batch; rows === batch; deleted += rows)
    rows = (await client.query(sql, [travel])).rowCount ?? 0;
  return deleted;
}

const oldDeliveries = `delete from reminder_deliveries where ctid = ${oldRows("reminder_deliveries", "created_at")}`;

/** @param travel the interval by which tests travel in time */
export const pruneDeliveries = (client: Client, travel = "0"): Promise<number> =>
  deleteInBatches(client, oldDeliveries, travel);

const oldDeletions = `
  with gone as (
    delete from deletions where ctid = ${oldRows("deletions", "deleted_at")} returning changed_xid
  ), noted as (
    update change_horizon set pruned_xid = greatest(pruned_xid, (select max(changed_xid) from gone))
    where exists (select from gone)
  )
  select from gone`;

/**
 * A client whose copy may still have what is forgotten here is told to begin anew.
 * @param travel the interval by which tests travel in time
 */
export const pruneDeletions = (client: Client, travel = "0"): Promise<number> =>
  deleteInBatches(client, oldDeletions, travel);
