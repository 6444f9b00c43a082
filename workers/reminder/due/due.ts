import type { DeliveryKeys } from "../jobs.ts";
import { now, type ReminderStore } from "../store.ts";
import { postDue } from "./post-due.ts";

/**
 * Takes up to $2 due reminders, oldest first, and skips rows locked by another transaction. A reminder whose todo is
 * open gets a delivery row; if it came due more than a day ago, the row says that it is missed.
 */
const takeDue = `
  with due as materialized (
    select r.user_id, r.todo_id, r.remind_at, gen_random_uuid() as delivery_id,
      case
        when t.is_completed then 'suspended'
        when r.remind_at < ${now} - interval '24 hours' then 'missed'
        else 'scheduled'
      end as status
    from reminders r
    join todos t on t.user_id = r.user_id and t.id = r.todo_id
    where r.status = 'scheduled' and r.delivery_id is null and r.remind_at <= ${now}
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
      (user_id, id, todo_id, status, attempts, late, scheduled_at, next_attempt_at, created_at, finished_at)
    select user_id, delivery_id, todo_id, case status when 'missed' then status else 'queued' end, 0, status = 'missed',
      remind_at, ${now} + $3::interval, ${now}, case when status = 'missed' then ${now} end
    from due
    where status <> 'suspended'
    returning user_id, id, todo_id, status
  ), posted as (${postDue("due_todo", "todo_id")})
  select (select count(*) from due) as taken,
    coalesce(array_agg(user_id), '{}') as users,
    coalesce(array_agg(id::text), '{}') as ids
  from written
  where status = 'queued'`;

/** Takes deliveries that were never queued, were lost with Redis or a worker, or are due for another attempt. */
const takeOverdue = `
  with overdue as materialized (
    select user_id, id from reminder_deliveries d
    where finished_at is null
      and (next_attempt_at <= ${now} or ($4 and status = 'queued'))
    order by next_attempt_at
    limit $2
    for update skip locked
  ), marked as (
    update reminder_deliveries d
    set status = 'queued', next_attempt_at = ${now} + $3::interval
    from overdue o
    where d.user_id = o.user_id and d.id = o.id
    returning d.user_id, d.id
  )
  select count(*) as taken,
    coalesce(array_agg(user_id), '{}') as users,
    coalesce(array_agg(id::text), '{}') as ids
  from marked`;

export type TakenDeliveries = Readonly<{ taken: number }> & DeliveryKeys;

/** A queued delivery is queued again after this time, in case its job was lost. */
export const queueTimeout = "60 seconds";

export const takeDueReminders = (store: ReminderStore, limit: number): Promise<TakenDeliveries> =>
  take(store, takeDue, [limit, queueTimeout]);

/** @param queueIsEmpty when true, every delivery marked as queued has lost its job and is taken at once */
export const takeOverdueDeliveries = (
  store: ReminderStore,
  limit: number,
  queueIsEmpty: boolean,
): Promise<TakenDeliveries> => take(store, takeOverdue, [limit, queueTimeout, queueIsEmpty]);

async function take(
  { database, travel }: ReminderStore,
  statement: string,
  values: readonly unknown[],
): Promise<TakenDeliveries> {
  const { rows } = await database.pool.query<TakenDeliveries>(statement, [travel, ...values]);
  return rows[0] ?? { taken: 0, users: [], ids: [] };
}
