import { now, type ReminderStore } from "./store.ts";

/** The result of one attempt at a user's webhook. */
export type WebhookAttempt = Readonly<{ userId: string; ok: boolean }>;

/**
 * Five failed attempts in a row over at least a day switch a webhook off, and a success resets the count. A successful
 * test also switches it on again. The settings show both.
 */
const recordAttempts = `
  with attempts as materialized (
    select user_id, count(*) filter (where not ok) as failures, bool_or(ok) as ok
    from unnest($2::text[], $3::boolean[]) v(user_id, ok)
    group by user_id
  ), counted as materialized (
    select u.user_id, a.ok,
      u.webhook_failures + a.failures as failures,
      coalesce(u.webhook_failing_since, ${now}) as failing_since
    from attempts a
    join users u on u.user_id = a.user_id
    where (not a.ok or u.webhook_failures > 0)
    order by u.user_id collate "C"
    for update of u
  )
  update users u
  set webhook_failures = case when c.ok then 0 else c.failures end,
    webhook_failing_since = case when not c.ok then c.failing_since end,
    webhook_disabled_at = case
      when c.ok then null
      when c.failures >= 5 and c.failing_since <= ${now} - interval '1 day'
        then coalesce(u.webhook_disabled_at, ${now})
      else u.webhook_disabled_at
    end
  from counted c
  where u.user_id = c.user_id`;

export async function recordWebhookAttempts(
  { database, travel }: ReminderStore,
  attempts: readonly WebhookAttempt[],
): Promise<void> {
  if (attempts.length === 0) return;
  await database.pool.query(recordAttempts, [
    travel,
    attempts.map(({ userId }) => userId),
    attempts.map(({ ok }) => ok),
  ]);
}
