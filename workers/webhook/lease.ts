import type { WebhookSubject } from "../../shared/domain/webhook.ts";
import { now, type ReminderStore } from "../reminder/store.ts";

/** A delivery that this process must post. */
export type LeasedPost = Readonly<{
  user_id: string;
  id: string;
  webhook_id: string;
  subject: WebhookSubject;
  thing_id: number;
  attempts: number;
  url: string;
  secret: string;
  /** PostgreSQL's time at the start of the lease, in epoch ms. */
  now_ms: number;
}>;

/** The most deliveries of a webhook that are taken at once. */
export const mostOfWebhook = 8;

/**
 * Takes due deliveries, a few of each webhook, so that no webhook takes the turns of another. Of a thing only one is
 * under way, which keeps its changes in order. A lease is longer than an attempt may last.
 */
const take = `
  with due as materialized (
    select d.*, w.url, w.secret
    from (select * from webhooks where is_active and id <> all($2::uuid[]) order by random()) w
    cross join lateral (
      select d.user_id, d.id from webhook_deliveries d
      where d.user_id = w.user_id and d.webhook_id = w.id and d.finished_at is null and d.next_attempt_at <= ${now}
        and not exists (
          select from webhook_deliveries o
          where o.user_id = d.user_id and o.webhook_id = d.webhook_id and o.subject = d.subject
            and o.thing_id = d.thing_id and o.finished_at is null and o.id <> d.id
            and (o.id < d.id or (o.status = 'sending' and o.next_attempt_at > ${now})))
      order by d.next_attempt_at limit ${mostOfWebhook} for update skip locked
    ) d
    limit $3
  )
  update webhook_deliveries d
  set status = 'sending', attempts = d.attempts + 1, next_attempt_at = ${now} + interval '30 seconds'
  from due
  where d.user_id = due.user_id and d.id = due.id
  returning d.user_id, d.id, d.webhook_id, d.subject, d.thing_id, d.attempts, due.url, due.secret,
    floor(extract(epoch from ${now}) * 1000)::float8 as now_ms`;

/** @param busy webhooks that have no turn free */
export async function leasePosts(
  { database, travel }: ReminderStore,
  busy: readonly string[],
  most: number,
): Promise<LeasedPost[]> {
  return (await database.pool.query<LeasedPost>(take, [travel, busy, most])).rows;
}

/** The result of an attempt. */
export type Attempt = Readonly<{
  status: "delivered" | "failed" | "waiting" | "postponed";
  error: string | null;
  againInMs: number;
}>;

/** If a newer change has taken the delivery's place, that one is due now, or after the pause of a failure. */
const finish = `
  with finished as (
    update webhook_deliveries set error = $5,
      status = case $4 when 'postponed' then 'waiting' else $4 end,
      attempts = attempts - ($4 = 'postponed')::int,
      next_attempt_at = ${now} + $6 * interval '1 millisecond',
      finished_at = case when $4 in ('delivered', 'failed') then ${now} end
    where user_id = $2 and id = $3
    returning id
  )
  update webhook_deliveries set next_attempt_at = ${now} + $6 * interval '1 millisecond'
  where user_id = $2 and webhook_id = $7 and subject = $8 and thing_id = $9 and finished_at is null and status = 'waiting'
    and not exists (select from finished)`;

/**
 * A webhook that fails for three days is switched off, and its person is told by the channel of reminders. Its row is
 * written only then, and at the first failure or success.
 */
const noteHealth = `
  with noted as (
    update webhooks set
      failing_since = case when not $4::boolean then coalesce(failing_since, ${now}) end,
      is_active = is_active and ($4 or coalesce(failing_since, ${now}) > ${now} - interval '3 days'),
      disabled_at = case when not $4 and is_active and failing_since <= ${now} - interval '3 days' then ${now} else disabled_at end
    where user_id = $2 and id = $3 and case
      when $4 then failing_since is not null
      else failing_since is null or failing_since <= ${now} - interval '3 days' end
    returning user_id, disabled_at = ${now} as is_off
  )
  insert into reminder_deliveries
    (user_id, id, about, status, attempts, late, used_acts, scheduled_at, next_attempt_at, created_at)
  select user_id, gen_random_uuid(), 'webhooks', 'queued', 0, false, '', ${now}, ${now}, ${now} from noted where is_off`;

export async function writeAttempt(
  { database, travel }: ReminderStore,
  { user_id, id, webhook_id, subject, thing_id }: LeasedPost,
  { status, error, againInMs }: Attempt,
): Promise<void> {
  const thing = [webhook_id, subject, thing_id];
  await database.pool.query(finish, [travel, user_id, id, status, error, againInMs, ...thing]);
  if (status === "postponed") return;
  await database.pool.query(noteHealth, [travel, user_id, webhook_id, status === "delivered"]);
}
