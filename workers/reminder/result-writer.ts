import type { Log } from "../../shared/process/observe/log.ts";
import { type DeliveryAttempt, deliveryResult, webhookAttempts } from "./results.ts";
import { now, type ReminderStore } from "./store.ts";
import { recordWebhookAttempts } from "./webhook-health.ts";

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
    travel,
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

type WriterContext = Readonly<{ database: ReminderStore["database"]; log: Log; travel(): string }>;

type ResultWriter = Readonly<{
  add(attempt: DeliveryAttempt): void;
  /** Gives up on results that are not written yet. */
  stop(): void;
}>;

const maxTogether = 1_000;
const againAfterMs = 250;

/**
 * Gathers results while earlier ones are being written, so that many share one statement. It retries until a result is
 * written, even if PostgreSQL restarts, because a sent reminder must not be sent again.
 * @param onWritten is called with each attempt whose result is written
 */
export function createResultWriter(
  { database, log, travel }: WriterContext,
  onWritten: (attempt: DeliveryAttempt) => void,
): ResultWriter {
  let gathered: DeliveryAttempt[] = [];
  let writing = false;
  let stopped = false;
  const logFailure = (error: unknown) => log.warn({ reason: String(error) }, "deliveries not marked yet");

  /** @returns the attempts that were left out */
  async function write(attempts: readonly DeliveryAttempt[]): Promise<DeliveryAttempt[]> {
    const { leftOut, written } = await finishAll({ database, travel: travel() }, attempts);
    written.forEach(onWritten);
    const store = { database, travel: travel() };
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
    add(attempt) {
      gathered.push(attempt);
      if (!writing) void writeAll();
    },
    stop() {
      stopped = true;
    },
  };
}
