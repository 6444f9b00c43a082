import type { Database } from "../../../shared/db/orm.ts";
import type { Queryable } from "../connection.ts";
import { describeTables, type TableMap, type TableName } from "../tables.ts";
import { sqlBytes } from "./ledger.ts";

/**
 * Corrects the ledger of an account by its tables. The difference comes from one snapshot and is added, so that
 * changes of others are not lost. Stored replies end so soon that they are not measured.
 */
function measurement(tables: TableMap): string {
  const bytesOf = (name: TableName): string => `sum(${sqlBytes(tables[name].sized)})`;
  const things = Object.values(tables)
    .filter(({ bytes }) => bytes === "things")
    .map(
      ({ name }) =>
        `select 'things', 'infinity'::timestamptz, ${bytesOf(name)} from ${name} where user_id = $1`,
    );
  return `
    with measured (kind, expires_at, bytes) as (
      ${things.join(" union all ")}
      union all
      select 'images', date_trunc('day', called_at) + interval '31 days', ${bytesOf("action_images")}
      from action_images where user_id = $1 group by 2
      union all
      select 'log', date_trunc('month', called_at) + interval '1 month' + $2::interval, ${bytesOf("action_log")}
      from action_log where user_id = $1 group by 2
    ), known as (
      select kind, case kind when 'things' then 'infinity' else expires_at end as expires_at, -bytes as bytes
      from byte_ledger where user_id = $1 and kind in ('things', 'images', 'log') and expires_at > now()
    ), gone as (
      delete from byte_ledger where user_id = $1 and expires_at <= now()
    )
    insert into byte_ledger (user_id, kind, expires_at, bytes)
    select $1, kind, expires_at, sum(bytes) from (table measured union all table known) differences
    where expires_at > now() group by 2, 3 having sum(bytes) <> 0
    on conflict (user_id, kind, expires_at) do update set bytes = byte_ledger.bytes + excluded.bytes`;
}

const accountsAtOnce = 200;

/** The index has this very condition, and the statement must match it to use the index. */
const isDue = `expires_at <= now() and expires_at < 'infinity'`;

/** Bytes that end within a day need no measuring. */
const deleteShortLived = `
  delete from byte_ledger where ctid = any(array(
    select ctid from byte_ledger where ${isDue} and kind in ('growth', 'replies') order by expires_at limit 10000))`;

const dueAccounts = `select distinct user_id from (
  select user_id from byte_ledger where ${isDue} order by expires_at limit ${accountsAtOnce}) due`;

/** Measures accounts in which something has expired. Most are due once, on the day after a day with changes. */
export async function measureAccounts({ pool, orm }: Database, actionLogDays: number): Promise<number> {
  const text = measurement(describeTables(orm));
  await pool.query(deleteShortLived);
  const { rows } = await pool.query<{ user_id: string }>(dueAccounts);
  for (const { user_id } of rows) await pool.query(text, [user_id, `${actionLogDays} days`]);
  return rows.length;
}

/** Has an account measured within a minute, because rows changed that the ledger does not follow. */
export const measureSoon = (connection: Queryable, userId: string): Promise<unknown> =>
  connection.query(
    `insert into byte_ledger (user_id, kind, expires_at, bytes) values ($1, 'things', now(), 0)
     on conflict do nothing`,
    [userId],
  );
