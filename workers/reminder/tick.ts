import type { Queue } from "bullmq";
import type { QueryResultRow } from "pg";
import type { HabitRow, UserRow } from "../../shared/db/entities.ts";
import { inTransaction } from "../../shared/db/in-transaction.ts";
import { localDay, timestamp } from "../../shared/domain/day/day.ts";
import type { Log } from "../../shared/process/observe/log.ts";
import { keyedId } from "../../shared/queue/command-id.ts";
import { dueRing } from "../handlers/habit/next-ring.ts";
import { nextDigest } from "../handlers/user.ts";
import { type DeliveryKeys, now, type ReminderStore } from "./store.ts";

type TickContext = PlannedStore &
  Readonly<{
    queue: Queue<DeliveryKeys>;
    /** True if PostgreSQL's clock has just jumped, so leases that seem to have ended may be in use. */
    hasJumped(): Promise<boolean>;
  }>;

const maxClaimed = 2_000;
/** Planning the next ring of a habit takes a tenth of a millisecond, while its row is locked; likewise a digest. */
const plannedAtOnce = 500;
/** Redis holds at most about this many jobs; PostgreSQL keeps the rest until there is room. */
const maxQueuedJobs = 200;

/**
 * Queues everything that is due. Ticks may run at the same time. A tick that dies half-way loses nothing, because a
 * later one takes up its rows.
 */
export async function runTick(context: TickContext): Promise<void> {
  if (!(await context.hasJumped()))
    await fillQueue(context, maxClaimed, (jobs) => takeOverdueDeliveries(context, maxClaimed, jobs === 0));
  await fillQueue(context, maxClaimed, () => takeDueReminders(context, maxClaimed));
  for (const takeDue of [takeDueHabits, takeDueDigests])
    await fillQueue(context, plannedAtOnce, () => takeDue(context, plannedAtOnce));
}

async function fillQueue(
  { queue }: TickContext,
  limit: number,
  take: (jobs: number) => Promise<TakenDeliveries>,
): Promise<void> {
  for (;;) {
    const jobs = await countJobs(queue);
    if (jobs >= maxQueuedJobs) return;
    const taken = await take(jobs);
    await queueDeliveries(queue, taken);
    if (taken.taken < limit) return;
  }
}

const countJobs = (queue: Queue<DeliveryKeys>): Promise<number> =>
  queue.getJobCountByTypes("waiting", "active");

const deliveriesPerJob = 100;

/** Queues many deliveries in a job, since a BullMQ job costs more than the SQL of a delivery. */
async function queueDeliveries(queue: Queue<DeliveryKeys>, { users, ids }: DeliveryKeys): Promise<void> {
  const jobs = [];
  for (let from = 0; from < ids.length; from += deliveriesPerJob) {
    const to = from + deliveriesPerJob;
    jobs.push({ name: "deliver", data: { users: users.slice(from, to), ids: ids.slice(from, to) } });
  }
  if (jobs.length > 0) await queue.addBulk(jobs);
}

type TakenDeliveries = Readonly<{ taken: number }> & DeliveryKeys;

/** A queued delivery is queued again after this time, in case its job was lost. */
const queueTimeout = "60 seconds";

const keysOf = (rows: string): string => `
  coalesce(array_agg(user_id), '{}') as users, coalesce(array_agg(id::text), '{}') as ids from ${rows}`;

/**
 * Writes the deliveries of due things, and has these reminders posted to webhooks, in the transaction that marks the
 * things. What came due more than a day ago is missed.
 */
const writeDue = (thing: "todo" | "habit", due: string): string => `
  written as (
    insert into reminder_deliveries
      (user_id, id, ${thing}_id, status, attempts, late, scheduled_at, next_attempt_at, created_at, finished_at)
    select user_id, delivery_id, id, case when missed then 'missed' else 'queued' end, 0, missed,
      due_at, ${now} + $3::interval, ${now}, case when missed then ${now} end
    from ${due}
    returning user_id, id, ${thing}_id, status
  ), posted as (
    insert into webhook_deliveries
      (user_id, id, webhook_id, subject, thing_id, status, attempts, next_attempt_at, created_at)
    select w.user_id, gen_random_uuid(), w.id, 'due_${thing}', r.${thing}_id, 'waiting', 0, ${now}, ${now}
    from written r join webhooks w on w.user_id = r.user_id
    where w.is_active and 'reminder.due' = any(w.events)
  )`;

/** Takes up to $2 due reminders, oldest first, and skips rows locked by another transaction. */
const takeTodos = `
  with due as materialized (
    select r.user_id, r.todo_id as id, r.remind_at as due_at, gen_random_uuid() as delivery_id, t.is_completed,
      r.remind_at < ${now} - interval '24 hours' as missed
    from reminders r
    join todos t on t.user_id = r.user_id and t.id = r.todo_id
    where r.status = 'scheduled' and r.delivery_id is null and r.remind_at <= ${now}
    order by r.remind_at
    limit $2
    for update of r skip locked
  ), marked as (
    update reminders r
    set status = case when due.is_completed then 'suspended' when due.missed then 'missed' else 'scheduled' end,
      delivery_id = case when not due.is_completed and not due.missed then due.delivery_id end,
      updated_at = now()
    from due
    where r.user_id = due.user_id and r.todo_id = due.id
  ), ${writeDue("todo", "due where not is_completed")}
  select (select count(*) from due) as taken, ${keysOf("written where status = 'queued'")}`;

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
  select count(*) as taken, ${keysOf("marked")}`;

export const takeDueReminders = (store: ReminderStore, limit: number): Promise<TakenDeliveries> =>
  take(store, takeTodos, [limit, queueTimeout]);

/** @param queueIsEmpty when true, every delivery marked as queued has lost its job and is taken at once */
const takeOverdueDeliveries = (
  store: ReminderStore,
  limit: number,
  queueIsEmpty: boolean,
): Promise<TakenDeliveries> => take(store, takeOverdue, [limit, queueTimeout, queueIsEmpty]);

const none: TakenDeliveries = { taken: 0, users: [], ids: [] };

async function take(
  { database, travel }: ReminderStore,
  statement: string,
  values: readonly unknown[],
): Promise<TakenDeliveries> {
  const { rows } = await database.pool.query<TakenDeliveries>(statement, [travel(), ...values]);
  return rows[0] ?? none;
}

type PlannedStore = ReminderStore & Readonly<{ defaultTimeZone: string; log: Log }>;

/** Rows that have the time of their next delivery, and the rule that plans one more. */
type Planned<Row> = Readonly<{
  /** The table with its alias, and what is joined to it. */
  from: readonly [table: string, joined: string];
  columns: string;
  time: string;
  /** Stores the next times and writes the deliveries of those that are due now. */
  takeDue: string;
  plan(store: PlannedStore, row: Row): object;
  /** The plan of a row that has no delivery now, and is looked at again then. */
  postponed(row: Row, until: string): object;
}>;

const hourMs = 3_600_000;

/** Takes up to `limit` due rows, oldest first, and skips those locked by another transaction. */
function takePlanned<Row extends QueryResultRow & Readonly<{ now: number }>>({
  from: [table, joined],
  columns,
  time,
  takeDue,
  plan,
  postponed,
}: Planned<Row>) {
  const isDue = `${time} <= ${now}`;
  const lockDue = `
    select ${columns}, floor(extract(epoch from ${now}) * 1000)::float8 as now
    from ${table} ${joined} where ${isDue} order by ${time} limit $2 for update of ${table.split(" ")[1]} skip locked`;

  /** A row that a fault keeps from being planned holds up no other: it is tried again in an hour. */
  function planSafely(store: PlannedStore, row: Row): object {
    try {
      return plan(store, row);
    } catch (error) {
      store.log.error({ user: row.user_id, reason: String(error) }, "reminder not planned");
      return postponed(row, new Date(row.now + hourMs).toISOString());
    }
  }

  return async (store: PlannedStore, limit: number): Promise<TakenDeliveries> => {
    const { database, travel } = store;
    const some = await database.pool.query(`select from ${table} where ${isDue} limit 1`, [travel()]);
    if (some.rows.length === 0) return none;
    return inTransaction(database.pool, async (client) => {
      const { rows } = await client.query<Row>(lockDue, [travel(), limit]);
      const planned = JSON.stringify(rows.map((row) => planSafely(store, row)));
      const written = await client.query<DeliveryKeys>(takeDue, [travel(), planned, queueTimeout]);
      return { ...none, ...written.rows[0], taken: rows.length };
    });
  };
}

type DueHabit = HabitRow & { time_zone: string | null; day_start_hour: number | null; now: number };

/** Each habit is checked again: if its user's journey has moved the ring, it only gets the next time. */
export const takeDueHabits = takePlanned<DueHabit>({
  from: ["habits h", "left join users u on u.user_id = h.user_id"],
  columns: "h.*, u.time_zone, u.day_start_hour",
  time: "h.rings_at",
  takeDue: `
    with planned as materialized (
      select p.*, gen_random_uuid() as delivery_id
      from json_to_recordset($2) p(user_id text, id bigint, due_at timestamptz, rings_at timestamptz, day date, missed boolean)
    ), marked as (
      update habits h
      set rings_at = p.rings_at, rang_on = coalesce(p.day, h.rang_on),
        delivery_id = case when p.day is null then h.delivery_id when not p.missed then p.delivery_id end
      from planned p
      where h.user_id = p.user_id and h.id = p.id
    ), ${writeDue("habit", "planned where day is not null")}
    select ${keysOf("written where status = 'queued'")}`,
  plan({ defaultTimeZone }, habit) {
    const { user_id, id, rings_at: due_at, time_zone, day_start_hour, now } = habit;
    const rules = { timeZone: time_zone ?? defaultTimeZone, dayStartHour: day_start_hour ?? 0 };
    const { day, isMissed: missed, rings_at } = dueRing(habit, rules, now);
    return { user_id, id, due_at, rings_at, day, missed };
  },
  postponed: ({ user_id, id, rings_at: due_at }, rings_at) => ({ user_id, id, due_at, rings_at }),
});

type DueUser = Pick<UserRow, "user_id" | "digest" | "time_zone"> & { digest_at: string; now: number };

const dayMs = 86_400_000;

/** A day has one digest, by its id, also after a journey. The lease finds what is missed or has nothing to tell. */
export const takeDueDigests = takePlanned<DueUser>({
  from: ["users u", ""],
  columns: "u.user_id, u.digest, u.digest_at, u.time_zone",
  time: "u.digest_at",
  takeDue: `
    with planned as materialized (
      select p.* from json_to_recordset($2) p(user_id text, id uuid, due_at timestamptz, digest_at timestamptz)
    ), moved as (
      update users u set digest_at = p.digest_at from planned p where u.user_id = p.user_id
    ), written as (
      insert into reminder_deliveries
        (user_id, id, about, status, attempts, late, scheduled_at, next_attempt_at, created_at)
      select user_id, id, 'digest', 'queued', 0, false, due_at, ${now} + $3::interval, ${now} from planned
      where id is not null
      on conflict (user_id, id) do nothing
      returning user_id, id
    )
    select ${keysOf("written")}`,
  // After a restore, a digest may be postponed to its next time. After a long absence, the last one comes alone.
  plan(_, { user_id, digest, time_zone, digest_at: due_at, now }) {
    const at = Date.parse(timestamp(due_at));
    const rings = nextDigest(digest, time_zone, at - 1) === new Date(at).toISOString();
    const id = rings ? keyedId(user_id, `digest ${localDay(at, time_zone, 0)}`) : null;
    return { user_id, id, due_at, digest_at: nextDigest(digest, time_zone, Math.max(at, now - dayMs)) };
  },
  postponed: ({ user_id, digest_at: due_at }, digest_at) => ({ user_id, id: null, due_at, digest_at }),
});
