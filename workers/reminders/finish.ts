import type { Pool } from "pg";

/** How an attempt ended. `retrying` is taken up again by a tick at `nextAttemptAt`. */
export type Outcome = Readonly<{
  userId: string;
  id: string;
  status: "sent" | "failed" | "retrying";
  error: string | null;
  /** Epoch ms; only a retry looks at it. */
  nextAttemptAt: number;
}>;

/**
 * Marks deliveries and their reminders, each only while it is still the reminder's present delivery.
 * Reminders are locked in the order of their key, as the unit of work does, so that the two cannot deadlock.
 */
const finishDeliveries = `
  with outcomes as materialized (
    select * from unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[])
      v(user_id, id, status, error, next_attempt_at)
  ), delivered as materialized (
    select r.user_id, r.todo_id, o.status
    from outcomes o
    join reminder_deliveries d on d.user_id = o.user_id and d.id = o.id
    join reminders r on r.user_id = d.user_id and r.todo_id = d.todo_id and r.delivery_id = d.id
    where o.status = 'sent' or (o.status = 'failed' and r.status = 'scheduled')
    order by r.user_id collate "C", r.todo_id
    for update of r
  ), marked as (
    update reminders r set status = v.status, updated_at = now()
    from delivered v
    where r.user_id = v.user_id and r.todo_id = v.todo_id
  )
  update reminder_deliveries d
  set status = o.status,
    error = o.error,
    next_attempt_at = o.next_attempt_at,
    finished_at = case when o.status <> 'retrying' then $6::timestamptz end
  from outcomes o
  where d.user_id = o.user_id and d.id = o.id and d.finished_at is null`;

/** @param now epoch ms */
export async function finish(pool: Pool, now: number, outcomes: readonly Outcome[]): Promise<void> {
  await pool.query(finishDeliveries, [
    outcomes.map(({ userId }) => userId),
    outcomes.map(({ id }) => id),
    outcomes.map(({ status }) => status),
    outcomes.map(({ error }) => error),
    outcomes.map(({ nextAttemptAt }) => new Date(nextAttemptAt).toISOString()),
    new Date(now).toISOString(),
  ]);
}
