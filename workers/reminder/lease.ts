import type { HabitRow } from "../../shared/db/entities.ts";
import { perTarget, type ReminderChannel, type TargetColumn } from "../../shared/domain/reminder/channels.ts";
import { type About, counts } from "./about.ts";
import { type DeliveryKeys, now, type ReminderStore } from "./store.ts";

/** A delivery that this process must send, with its content and target at the start of the lease. */
export type LeasedDelivery = Readonly<{
  user_id: string;
  id: string;
  attempts: number;
  /** The start of the lease by PostgreSQL's clock. */
  begun_at: string;
  /** The same without the travels of tests, because a receiver compares it with its own clock. */
  signed_at: string;
  late: boolean;
  /** Seconds since it came due or was requested again, at the start of the lease. */
  overdue_seconds: number;
  channel: ReminderChannel;
  /** PostgreSQL's text, with microseconds. */
  scheduled_at: string;
  time_zone: string | null;
  locale: string | null;
  todo: LeasedTodo | null;
  habit: LeasedHabit | null;
  /** Set if the message is no reminder. */
  about: About | null;
  /** The browsers of the user, if reminders go there. */
  browsers: readonly Browser[] | null;
  webhook_secret: string | null;
  webhook_failures: number;
  webhook_disabled_at: string | null;
}> &
  Readonly<Record<TargetColumn, string | null>>;

type LeasedTodo = Readonly<{
  id: number;
  title: string;
  description: string | null;
  due_date: string | null;
  /** HH:MM */
  due_time: string | null;
}>;

type LeasedHabit = Readonly<{
  id: number;
  name: string;
  description: string | null;
  type: HabitRow["type"];
  /** The user's day on which it rings. */
  day: string;
}>;

/** A browser's subscription, to which a message is encrypted (RFC 8291). */
export type Browser = Readonly<{ id: string; endpoint: string; p256dh: string; auth: string }>;

/** A test of a channel is about nothing. */
export const isTest = ({ todo, habit, about }: Pick<LeasedDelivery, "todo" | "habit" | "about">): boolean =>
  todo === null && habit === null && about === null;

const isTestRow = "d.todo_id is null and d.habit_id is null and d.about is null";

/** The columns of users that channels need. */
const targets = [...Object.keys(perTarget(() => null)), "webhook_secret", "webhook_disabled_at"];
const targetsOf = (alias: string): string => targets.map((column) => `${alias}.${column}`).join(", ");

const deliveryKeys = "unnest($2::text[], $3::uuid[]) k(user_id, id)";

/**
 * The last check before sending. A delivery is cancelled if its reminder was moved, cleared, suspended or given to
 * another delivery. A habit that was done, paused or skipped meanwhile has no delivery. The same statement takes
 * the lease, so only one of several jobs sends it.
 */
const takeLeases = `
  with looked_at as materialized (
    select d.user_id, d.id,
      case
        when ${isTestRow} then 'sending'
        when d.about is not null and told.counts is null then 'cancelled'
        when d.habit_id is not null and h.id is null then 'cancelled'
        when d.todo_id is not null and (r.status is distinct from 'scheduled' or t.is_completed is distinct from false) then 'cancelled'
        when coalesce(d.asked_at, d.scheduled_at) < ${now} - interval '24 hours' then 'missed'
        else 'sending'
      end as verdict,
      coalesce(case when ${isTestRow} then d.channel else u.reminder_channel end, 'log') as channel,
      jsonb_build_object('id', t.id, 'title', t.title, 'description', t.description, 'due_date', t.due_date,
        'due_time', t.due_time) as todo,
      jsonb_build_object('id', h.id, 'name', h.name, 'description', h.description, 'type', h.type,
        'day', h.rang_on) as habit,
      case when d.about is not null then jsonb_build_object('kind', d.about, 'counts', told.counts, 'said', d.said) end as about,
      u.time_zone, u.locale, ${targetsOf("u")}, coalesce(u.webhook_failures, 0) as webhook_failures
    from ${deliveryKeys}
    join reminder_deliveries d on d.user_id = k.user_id and d.id = k.id
    left join reminders r on r.user_id = d.user_id and r.todo_id = d.todo_id and r.delivery_id = d.id
    left join todos t on t.user_id = d.user_id and t.id = d.todo_id
    left join habits h on h.user_id = d.user_id and h.id = d.habit_id and h.delivery_id = d.id
    left join users u on u.user_id = d.user_id
    cross join lateral (select ${counts} as counts offset 0) told
    where d.status = 'queued'
    for update of d skip locked
  ), begun as (
    update reminder_deliveries d
    set status = l.verdict,
      channel = l.channel,
      attempts = d.attempts + (l.verdict = 'sending')::int,
      late = d.scheduled_at < ${now} - interval '60 seconds',
      next_attempt_at = ${now} + $4::interval,
      finished_at = case when l.verdict <> 'sending' then ${now} end
    from looked_at l
    where d.user_id = l.user_id and d.id = l.id
    returning d.user_id, d.id, d.todo_id, d.status, d.attempts, d.late, d.channel, d.scheduled_at,
      extract(epoch from ${now} - coalesce(d.asked_at, d.scheduled_at))::float8 as overdue_seconds,
      case when d.todo_id is not null then l.todo end as todo,
      case when d.habit_id is not null then l.habit end as habit, l.about, l.time_zone, l.locale,
      l.webhook_failures, ${targetsOf("l")}
  ), missed as (
    update reminders r set status = 'missed', updated_at = now()
    from begun b
    where b.status = 'missed' and r.user_id = b.user_id and r.todo_id = b.todo_id and r.delivery_id = b.id
  )
  select user_id, id, attempts, ${now} as begun_at, now() as signed_at, late, overdue_seconds, channel, scheduled_at,
    todo, habit, about, time_zone, locale, webhook_failures, ${targetsOf("begun")},
    (select jsonb_agg(to_jsonb(p) - 'user_id' order by p.created_at) from push_subscriptions p
      where p.user_id = begun.user_id and begun.channel = 'push') as browsers
  from begun
  where status = 'sending'`;

/** A process that does not renew its lease within this time loses the delivery. */
const leaseTime = "15 seconds";
export const renewLeaseEveryMs = 5_000;

/** @returns the deliveries for this process; the others are being sent elsewhere, finished or cancelled */
export async function leaseDeliveries(
  { database, travel }: ReminderStore,
  { users, ids }: DeliveryKeys,
): Promise<LeasedDelivery[]> {
  const { rows } = await database.pool.query<LeasedDelivery>(takeLeases, [travel(), users, ids, leaseTime]);
  return rows;
}

const extendLeases = `
  update reminder_deliveries d set next_attempt_at = ${now} + $4::interval
  from ${deliveryKeys}
  where d.user_id = k.user_id and d.id = k.id and d.status = 'sending'`;

/** A living process keeps the deliveries that it is sending, even to slow receivers. */
export async function renewLeases(
  { database, travel }: ReminderStore,
  { users, ids }: DeliveryKeys,
): Promise<void> {
  await database.pool.query(extendLeases, [travel(), users, ids, leaseTime]);
}
