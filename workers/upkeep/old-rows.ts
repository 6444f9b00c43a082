import { deletionKinds } from "../../shared/db/entities/things.ts";
import type { Database } from "../../shared/db/orm.ts";

type Store = Pick<Database, "pool">;

const maxDeleted = 10_000;

/** The keys of the oldest rows that have been kept for 30 days. */
const oldRows = (table: string, key: string, time: string, kept = "30 days"): string => `(
  select ${key} from ${table}
  where ${time} < now() + $1::interval - interval '${kept}' order by ${time} limit ${maxDeleted}) old`;

/**
 * Deletes few rows at a time, so that no other statement waits long.
 * @returns the number of deleted rows
 */
async function deleteInParts(
  { pool }: Store,
  sql: string,
  travel: string,
  most = maxDeleted,
): Promise<number> {
  let deleted = 0;
  for (let rows = most; rows === most; deleted += rows)
    rows = (await pool.query(sql, [travel])).rowCount ?? 0;
  return deleted;
}

const oldDeliveries = `
  delete from reminder_deliveries d using ${oldRows("reminder_deliveries", "user_id, id", "created_at")}
  where d.user_id = old.user_id and d.id = old.id`;

/** @param travel distance from the present, as an interval */
export const pruneDeliveries = (store: Store, travel = "0"): Promise<number> =>
  deleteInParts(store, oldDeliveries, travel);

const oldApprovals = `
  delete from approvals a using ${oldRows("approvals", "user_id, id", "created_at")}
  where a.user_id = old.user_id and a.id = old.id`;

/**
 * Deletes requests for approval long after they ended.
 * @param travel distance from the present, as an interval
 */
export const pruneApprovals = (store: Store, travel = "0"): Promise<number> =>
  deleteInParts(store, oldApprovals, travel);

/** Nobody can take these deletions back any more. A habit that came back and was deleted again has a newer one. */
const daysOfDeletedHabits = (table: "habit_completions" | "habit_amounts"): string => `
  delete from ${table} c using (
    select c.user_id, c.habit_id, c.local_date
    from (
      select * from deletions where deleted_at < now() + $1::interval - interval '30 days' order by deleted_at offset 0
    ) d
    cross join lateral (
      select * from ${table} c where c.user_id = d.user_id and c.habit_id = d.id
        and not exists (select from habits h where h.user_id = d.user_id and h.id = d.id)
        and not exists (
          select from deletions n
          where n.user_id = d.user_id and n.kind = d.kind and n.id = d.id and n.changed_xid > d.changed_xid)
      offset 0
    ) c
    where d.kind = ${deletionKinds.habits} limit ${maxDeleted}
  ) old
  where c.user_id = old.user_id and c.habit_id = old.habit_id and c.local_date = old.local_date`;

/** Later than the completions, so that none is left without its deletion. */
const deletionsKept = "30 days 1 hour";

const oldDeletions = `
  with gone as (
    delete from deletions d using ${oldRows("deletions", "user_id, changed_xid, kind, id", "deleted_at", deletionsKept)}
    where d.user_id = old.user_id and d.changed_xid = old.changed_xid and d.kind = old.kind and d.id = old.id
    returning d.changed_xid
  ), noted as (
    update change_horizon set pruned_xid = greatest(pruned_xid, (select max(changed_xid) from gone))
    where exists (select from gone)
  )
  select from gone`;

/**
 * Deletes old deletions, and before them the completions and amounts of deleted habits. A client whose copy may still contain these
 * rows must start anew.
 * @param travel distance from the present, as an interval
 */
export async function pruneDeletions(store: Store, travel = "0"): Promise<number> {
  for (const table of ["habit_completions", "habit_amounts"] as const)
    await deleteInParts(store, daysOfDeletedHabits(table), travel);
  return deleteInParts(store, oldDeletions, travel);
}

/**
 * Deletes the results of long work.
 * @param travel the interval by which tests travel in time
 */
export async function pruneWorks({ pool }: Store, travel = "0"): Promise<number> {
  const { rowCount } = await pool.query(
    "delete from works where ended_at < now() + $1::interval - interval '1 day'",
    [travel],
  );
  return rowCount ?? 0;
}

/** A part of a file is up to 48,000 characters long. */
const partsAtATime = 200;

/** A file that is being replaced or imported now is left to a later run. */
const oldParts = `
  delete from import_parts p using (
    select i.user_id, i.part from import_parts i
    left join lateral (
      select w.id from works w where w.user_id = i.user_id and w.ended_at is null limit 1
    ) w on true
    where i.created_at < now() + $1::interval - interval '1 day' and w.id is null
    order by i.created_at limit ${partsAtATime} for update of i skip locked
  ) old
  where p.user_id = old.user_id and p.part = old.part`;

/**
 * Deletes files that nobody confirmed within a day.
 * @param travel distance from the present, as an interval
 */
export const pruneImports = (store: Store, travel = "0"): Promise<number> =>
  deleteInParts(store, oldParts, travel, partsAtATime);

const oldWebhookDeliveries = `
  delete from webhook_deliveries d
  using ${oldRows("webhook_deliveries", "user_id, id", "finished_at", "3 days")}
  where d.user_id = old.user_id and d.id = old.id`;

/**
 * Deletes what was posted some days ago. What is still to be sent stays.
 * @param travel distance from the present, as an interval
 */
export const pruneWebhookDeliveries = (store: Store, travel = "0"): Promise<number> =>
  deleteInParts(store, oldWebhookDeliveries, travel);
