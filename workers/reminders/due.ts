import type { DeliveryKeys } from "./jobs.ts";
import { type ReminderStore, runOnDue, spell } from "./spelled.ts";

/**
 * Takes up to $2 due reminders, oldest first, skipping rows that another transaction has locked. A reminder whose todo
 * is still open gets a delivery row; one that came due more than a day ago is missed, which its row says.
 */
const takeDue = spell(
  ({ now, ofUser }) => `
  with due as materialized (
    select r.user_id, r.todo_id, r.remind_at, gen_random_uuid() as delivery_id,
      case
        when t.is_completed then 'suspended'
        when r.remind_at < ${now} - interval '24 hours' then 'missed'
        else 'scheduled'
      end as status
    from reminders r
    join todos t on t.user_id = r.user_id and t.id = r.todo_id
    where r.status = 'scheduled' and r.delivery_id is null and r.remind_at <= ${now}${ofUser("r", 4)}
    order by r.remind_at
    limit $2
    for update of r skip locked
  ), marked as (
    update reminders r
    set status = due.status,
      delivery_id = case when due.status = 'scheduled' then due.delivery_id end,
      updated_at = now()
    from due
    where r.user_id = due.user_id and r.todo_id = due.todo_id${ofUser("r", 4)}
  ), written as (
    insert into reminder_deliveries
      (user_id, id, todo_id, status, attempts, late, scheduled_at, next_attempt_at, created_at, finished_at)
    select user_id, delivery_id, todo_id, case status when 'missed' then status else 'queued' end, 0, status = 'missed',
      remind_at, ${now} + $3::interval, ${now}, case when status = 'missed' then ${now} end
    from due
    where status <> 'suspended'
    returning user_id, id, status
  )
  select (select count(*) from due) as taken,
    coalesce(array_agg(user_id), '{}') as users,
    coalesce(array_agg(id::text), '{}') as ids
  from written
  where status = 'queued'`,
);

const scanDue = `
  select r.user_id from reminders r
  where r.status = 'scheduled' and r.delivery_id is null and r.remind_at <= $1::timestamptz
  order by r.remind_at limit $2`;

/** Takes deliveries that were never queued, were lost with Redis or a worker, or are to be tried again now. */
const takeOverdue = spell(
  ({ now, ofUser }) => `
  with overdue as materialized (
    select user_id, id from reminder_deliveries d
    where finished_at is null
      and (next_attempt_at <= ${now} or ($4 and status = 'queued'))${ofUser("d", 5)}
    order by next_attempt_at
    limit $2
    for update skip locked
  ), marked as (
    update reminder_deliveries d
    set status = 'queued', next_attempt_at = ${now} + $3::interval
    from overdue o
    where d.user_id = o.user_id and d.id = o.id${ofUser("d", 5)}
    returning d.user_id, d.id
  )
  select count(*) as taken,
    coalesce(array_agg(user_id), '{}') as users,
    coalesce(array_agg(id::text), '{}') as ids
  from marked`,
);

const scanOverdue = `
  select user_id from reminder_deliveries
  where finished_at is null and (next_attempt_at <= $1::timestamptz or ($3 and status = 'queued'))
  order by next_attempt_at limit $2`;

export type TakenDeliveries = Readonly<{ taken: number }> & DeliveryKeys;

/** A queued delivery is queued again after this time, in case its job was lost. */
const queueTimeout = "60 seconds";

export const takeDueReminders = (store: ReminderStore, limit: number): Promise<TakenDeliveries> =>
  take(store, { text: scanDue, values: [limit] }, { text: takeDue, values: [limit, queueTimeout] });

/** @param queueIsEmpty when true, every delivery marked as queued has lost its job and is taken at once */
export const takeOverdueDeliveries = (
  store: ReminderStore,
  limit: number,
  queueIsEmpty: boolean,
): Promise<TakenDeliveries> =>
  take(
    store,
    { text: scanOverdue, values: [limit, queueIsEmpty] },
    { text: takeOverdue, values: [limit, queueTimeout, queueIsEmpty] },
  );

async function take(...[store, scan, statement]: Parameters<typeof runOnDue>): Promise<TakenDeliveries> {
  const taken = await runOnDue<TakenDeliveries>(store, scan, statement);
  return {
    taken: taken.reduce((sum, one) => sum + Number(one.taken), 0),
    users: taken.flatMap(({ users }) => users),
    ids: taken.flatMap(({ ids }) => ids),
  };
}
