import type { Pool } from "pg";
import { present } from "./sql-now.ts";

/**
 * How an attempt ended. A tick takes `retrying` up again `againInMs` later, and `postponed`, which was not
 * sent and does not count as an attempt.
 */
export type Outcome = Readonly<{
  userId: string;
  id: string;
  status: "sent" | "failed" | "retrying" | "postponed";
  error: string | null;
  againInMs: number;
}>;

/**
 * Marks deliveries and their reminders, each only while it is still the reminder's present delivery. A
 * reminder that a command holds at this moment is left out with its delivery, so that it delays no other.
 */
const finishDeliveries = `
  with outcomes as materialized (
    select * from unnest($2::text[], $3::uuid[], $4::text[], $5::text[], $6::float8[])
      v(user_id, id, status, error, again_in_ms)
  ), present as materialized (
    select o.user_id, o.id, r.todo_id, o.status
    from outcomes o
    join reminder_deliveries d on d.user_id = o.user_id and d.id = o.id
    join reminders r on r.user_id = d.user_id and r.todo_id = d.todo_id and r.delivery_id = d.id
    where o.status in ('sent', 'failed')
  ), free as materialized (
    select r.user_id, r.todo_id, r.status as before, p.status
    from present p
    join reminders r on r.user_id = p.user_id and r.todo_id = p.todo_id and r.delivery_id = p.id
    for update of r skip locked
  ), marked as (
    update reminders r set status = f.status, updated_at = now()
    from free f
    where r.user_id = f.user_id and r.todo_id = f.todo_id and (f.status = 'sent' or f.before = 'scheduled')
  ), held as materialized (
    select id from present where (user_id, todo_id) not in (select user_id, todo_id from free)
  ), finished as (
    update reminder_deliveries d
    set status = case when o.status = 'postponed' then 'retrying' else o.status end,
      attempts = d.attempts - (o.status = 'postponed')::int,
      error = o.error,
      next_attempt_at = ${present} + o.again_in_ms * interval '1 millisecond',
      finished_at = case when o.status in ('sent', 'failed') then ${present} end
    from outcomes o
    where d.user_id = o.user_id and d.id = o.id and d.finished_at is null
      and d.id not in (select id from held)
  )
  select id::text from held`;

/** @returns ids of what could not be marked yet */
export async function finish(pool: Pool, travel: string, outcomes: readonly Outcome[]): Promise<Set<string>> {
  const { rows } = await pool.query<{ id: string }>(finishDeliveries, [
    travel,
    outcomes.map(({ userId }) => userId),
    outcomes.map(({ id }) => id),
    outcomes.map(({ status }) => status),
    outcomes.map(({ error }) => error),
    outcomes.map(({ againInMs }) => againInMs),
  ]);
  return new Set(rows.map(({ id }) => id));
}
