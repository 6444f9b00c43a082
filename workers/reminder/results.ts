import { Counter, Histogram, type Registry } from "prom-client";
import type { Log } from "../../shared/process/observe/log.ts";
import type { ChannelResult } from "./channels/channel.ts";
import { isTest, type LeasedDelivery } from "./lease.ts";
import { now, type ReminderStore } from "./store.ts";

/**
 * Finishes deliveries and their reminders, each only while the reminder still names that delivery. If a command has
 * locked the reminder, both are left out, so that others are not delayed.
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
    where o.status in ('sent', 'unsent', 'failed')
  ), free as materialized (
    select r.user_id, r.todo_id, r.status as before, p.status
    from present p
    join reminders r on r.user_id = p.user_id and r.todo_id = p.todo_id and r.delivery_id = p.id
    for update of r skip locked
  ), marked as (
    update reminders r set status = f.status, updated_at = now()
    from free f
    where r.user_id = f.user_id and r.todo_id = f.todo_id and (f.status <> 'failed' or f.before = 'scheduled')
  ), held as materialized (
    select id from present where (user_id, todo_id) not in (select user_id, todo_id from free)
  ), finished as (
    update reminder_deliveries d
    set status = case when o.status = 'postponed' then 'retrying' else o.status end,
      attempts = d.attempts - (o.status = 'postponed')::int,
      error = o.error,
      next_attempt_at = ${now} + o.again_in_ms * interval '1 millisecond',
      finished_at = case when o.status in ('sent', 'unsent', 'failed') then ${now} end
    from outcomes o
    where d.user_id = o.user_id and d.id = o.id and d.finished_at is null
      and d.id not in (select id from held)
  )
  select id::text from held`;

async function finishAll({ database, travel }: ReminderStore, attempts: readonly DeliveryAttempt[]) {
  const results = attempts.map(deliveryResult);
  const { rows } = await database.pool.query<{ id: string }>(finishDeliveries, [
    travel(),
    results.map(({ userId }) => userId),
    results.map(({ id }) => id),
    results.map(({ status }) => status),
    results.map(({ error }) => error),
    results.map(({ againInMs }) => againInMs),
  ]);
  const leftOutIds = new Set(rows.map(({ id }) => id));
  return {
    leftOut: attempts.filter(({ delivery }) => leftOutIds.has(delivery.id)),
    written: attempts.filter(({ delivery }) => !leftOutIds.has(delivery.id)),
  };
}

const maxTogether = 1_000;
const againAfterMs = 250;

/**
 * Gathers results while earlier ones are being written, so that many share one statement. It retries until a result is
 * written, even if PostgreSQL restarts, because a sent reminder must not be sent again.
 * @param onWritten is called with each attempt whose result is written
 */
export function createResultWriter(
  store: ReminderStore & Readonly<{ log: Log }>,
  onWritten: (attempt: DeliveryAttempt) => void,
) {
  let gathered: DeliveryAttempt[] = [];
  let writing = false;
  let stopped = false;
  const logFailure = (error: unknown) =>
    store.log.warn({ reason: String(error) }, "deliveries not marked yet");

  /** @returns the attempts that were left out */
  async function write(attempts: readonly DeliveryAttempt[]): Promise<DeliveryAttempt[]> {
    const { leftOut, written } = await finishAll(store, attempts);
    written.forEach(onWritten);
    await recordWebhookAttempts(store, written.flatMap(webhookAttempts)).catch(logFailure);
    return leftOut;
  }

  async function writeAll(): Promise<void> {
    writing = true;
    while (gathered.length > 0 && !stopped) {
      const attempts = gathered.slice(0, maxTogether);
      const left = await write(attempts).catch((error) => {
        logFailure(error);
        return attempts;
      });
      gathered = [...gathered.slice(attempts.length), ...left];
      if (left.length > 0) await Bun.sleep(againAfterMs);
    }
    writing = false;
  }

  return {
    add(attempt: DeliveryAttempt): void {
      gathered.push(attempt);
      if (!writing) void writeAll();
    },
    /** Gives up on results that are not written yet. */
    stop(): void {
      stopped = true;
    },
  };
}

/** One attempt at a delivery: the channel's answer, or `busy` if its target had no room and nothing was sent. */
type DeliveryAttempt = Readonly<{ delivery: LeasedDelivery; result: ChannelResult | "busy" }>;

/**
 * The result of an attempt. A tick repeats `retrying` and `postponed` after `againInMs`; a postponed delivery was not
 * sent and does not count as an attempt.
 */
type DeliveryResult = Readonly<{
  userId: string;
  id: string;
  status: "sent" | "unsent" | "failed" | "retrying" | "postponed";
  error: string | null;
  againInMs: number;
}>;

const busyAgainMs = 10_000;

const seconds = 1_000;
const minutes = 60 * seconds;

/** The waits after the first, second, … failed attempt: six attempts within an hour and a quarter. */
const waits = [5 * seconds, 30 * seconds, 2 * minutes, 10 * minutes, 60 * minutes];

/**
 * The wait after the given number of attempts, with up to a fifth more, so that deliveries that failed together do not
 * retry together.
 * @returns undefined when no further attempt is made
 */
function retryAfterMs(attempts: number): number | undefined {
  const wait = waits[attempts - 1];
  return wait === undefined ? undefined : wait * (1 + Math.random() / 5);
}

function deliveryResult({ delivery, result }: DeliveryAttempt): DeliveryResult {
  const { user_id: userId, id, attempts, channel } = delivery;
  if (result === "busy") {
    const againInMs = busyAgainMs * (1 + Math.random());
    return { userId, id, againInMs, status: "postponed", error: null };
  }
  if (result.ok)
    return { userId, id, againInMs: 0, status: channel === "log" ? "unsent" : "sent", error: null };
  const again = result.final || isTest(delivery) ? undefined : retryAfterMs(attempts);
  if (again === undefined) return { userId, id, againInMs: 0, status: "failed", error: result.reason };
  return { userId, id, againInMs: again, status: "retrying", error: result.reason };
}

/**
 * Only attempts that reached the receiver count for the health of its webhook, and successes only after failures. A
 * failed test does not count: people test a webhook because it may fail.
 */
function webhookAttempts({ delivery, result }: DeliveryAttempt): WebhookAttempt[] {
  const { channel, user_id: userId, webhook_failures: failures } = delivery;
  if (channel !== "webhook" || result === "busy") return [];
  const counts = result.ok ? failures > 0 : !result.final && !isTest(delivery);
  return counts ? [{ userId, ok: result.ok }] : [];
}

type WebhookAttempt = Readonly<{ userId: string; ok: boolean }>;

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

async function recordWebhookAttempts(
  { database, travel }: ReminderStore,
  attempts: readonly WebhookAttempt[],
): Promise<void> {
  if (attempts.length === 0) return;
  await database.pool.query(recordAttempts, [
    travel(),
    attempts.map(({ userId }) => userId),
    attempts.map(({ ok }) => ok),
  ]);
}

export type ReminderMetrics = ReturnType<typeof createReminderMetrics>;

export function createReminderMetrics(registry: Registry) {
  const registers = [registry];
  const lateness = new Histogram({
    name: "kept_reminder_lateness_seconds",
    help: "Time from when a reminder was due to when its channel had taken it",
    labelNames: ["channel"],
    buckets: [1, 2, 5, 10, 30, 60, 300, 1_800, 3_600, 21_600, 86_400],
    registers,
  });
  const attempts = new Counter({
    name: "kept_reminder_attempts_total",
    help: "Attempts to send a reminder, by how they ended",
    labelNames: ["channel", "outcome"],
    registers,
  });
  return {
    /** @param tookSeconds since the delivery was taken up */
    attempted(attempt: DeliveryAttempt, tookSeconds: number): void {
      const { channel, overdue_seconds } = attempt.delivery;
      // A person tests a webhook because it may fail.
      if (isTest(attempt.delivery)) return;
      const { status: outcome } = deliveryResult(attempt);
      attempts.inc({ channel, outcome });
      if (outcome === "sent" || outcome === "unsent")
        lateness.observe({ channel }, Math.max(0, overdue_seconds + tookSeconds));
    },
  };
}
