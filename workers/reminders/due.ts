import type { Pool } from "pg";
import type { DeliveryKeys } from "./jobs.ts";
import { present } from "./sql-now.ts";

/**
 * Takes up to $2 reminders that are due, oldest first, skipping rows that anybody else holds. What is
 * still wanted gets a delivery row; what came due more than a day ago is missed.
 */
const takeDue = `
  with due as materialized (
    select r.user_id, r.todo_id, r.remind_at, gen_random_uuid() as delivery_id,
      case
        when t.is_completed then 'suspended'
        when r.remind_at < ${present} - interval '24 hours' then 'missed'
        else 'scheduled'
      end as status
    from reminders r
    join todos t on t.user_id = r.user_id and t.id = r.todo_id
    where r.status = 'scheduled' and r.delivery_id is null and r.remind_at <= ${present}
    order by r.remind_at
    limit $2
    for update of r skip locked
  ), marked as (
    update reminders r
    set status = due.status,
      delivery_id = case when due.status = 'scheduled' then due.delivery_id end,
      updated_at = now()
    from due
    where r.user_id = due.user_id and r.todo_id = due.todo_id
  ), written as (
    insert into reminder_deliveries
      (user_id, id, todo_id, status, attempts, late, scheduled_at, next_attempt_at, created_at)
    select user_id, delivery_id, todo_id, 'queued', 0, false, remind_at, ${present} + $3::interval, ${present}
    from due
    where status = 'scheduled'
    returning user_id, id
  )
  select (select count(*) from due) as taken,
    coalesce(array_agg(user_id), '{}') as users,
    coalesce(array_agg(id::text), '{}') as ids
  from written`;

/** Deliveries whose time has come (again): never queued, lost with Redis, given up by a killed worker, retries. */
const takeOverdue = `
  with overdue as materialized (
    select user_id, id from reminder_deliveries
    where finished_at is null
      and (next_attempt_at <= ${present} or ($4 and status = 'queued'))
    order by next_attempt_at
    limit $2
    for update skip locked
  ), marked as (
    update reminder_deliveries d
    set status = 'queued', next_attempt_at = ${present} + $3::interval
    from overdue o
    where d.user_id = o.user_id and d.id = o.id
    returning d.user_id, d.id
  )
  select count(*) as taken,
    coalesce(array_agg(user_id), '{}') as users,
    coalesce(array_agg(id::text), '{}') as ids
  from marked`;

export type Taken = Readonly<{ taken: number }> & DeliveryKeys;

/** Queued deliveries are queued anew after this, in case their job was lost. */
const queuePatience = "60 seconds";

export const takeDueReminders = (pool: Pool, travel: string, limit: number): Promise<Taken> =>
  take(pool, takeDue, [travel, limit, queuePatience]);

/** @param queueIsEmpty then whatever counts as queued has lost its job, and is taken without waiting */
export const takeOverdueDeliveries = (
  pool: Pool,
  travel: string,
  limit: number,
  queueIsEmpty: boolean,
): Promise<Taken> => take(pool, takeOverdue, [travel, limit, queuePatience, queueIsEmpty]);

async function take(pool: Pool, sql: string, values: unknown[]): Promise<Taken> {
  const { rows } = await pool.query<Taken>(sql, values);
  return rows[0] ?? { taken: 0, users: [], ids: [] };
}
