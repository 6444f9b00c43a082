import type { Pool } from "pg";
import { deletionKinds } from "../../shared/db/entities/things.ts";
import { exclusively } from "../../shared/db/exclusively.ts";
import type { Database } from "../../shared/db/orm.ts";
import type { EventName } from "../../shared/domain/journal/events.ts";
import type { Log } from "../../shared/process/observe/log.ts";
import { commandQueue, openQueue } from "../../shared/queue/queues.ts";
import { startSchedule, type WorkerContext } from "../process/context.ts";
import { sweepDeletedUsers } from "./deleted-users.ts";

/**
 * Runs the steps one after the other; a failed step stops none.
 * @throws Error that names the failed steps and their reasons
 */
export async function runSteps(steps: Readonly<Record<string, () => Promise<unknown>>>): Promise<void> {
  const failures: string[] = [];
  for (const [name, step] of Object.entries(steps))
    await step().catch((error: unknown) => failures.push(`${name}: ${String(error)}`));
  if (failures.length > 0) throw new Error(failures.join("; "));
}

const everyMs = 60_000;
/**
 * A run may have many rows to delete, but must end in time for others to make partitions, which are made an hour ahead.
 */
const withinMs = 20 * 60_000;

/** Starts this process's share of the upkeep. It makes partitions first, so that the first command has one. */
export async function startUpkeep(context: WorkerContext): Promise<{ stop(): Promise<void> }> {
  const { database, config, log } = context;
  const notMade = (error: unknown) => log.warn({ reason: String(error) }, "partitions not made yet");
  await makePartitions(database.pool, keptFor(config.actionLogDays)).catch(notMade);
  return startSchedule(context, {
    name: "upkeep",
    everyMs,
    withinMs,
    run: () => runUpkeep(context),
  });
}

/** One worker does the upkeep for all; the others find the lock taken. */
export async function runUpkeep(
  context: Pick<WorkerContext, "database" | "config" | "log" | "security" | "publisher">,
): Promise<void> {
  const { database, log, config } = context;
  const { pool } = database;
  await exclusively(pool, { name: "kept.upkeep", taken: "skip" }, async () => {
    const kept = keptFor(config.actionLogDays);
    const { behind, was_set_back } = await advanceClock(pool);
    await runSteps({
      makePartitions: () => makePartitions(pool, kept),
      mendReminders: async () => was_set_back && mendReminders(database),
      dropPartitions: () => dropPartitions(database, log, kept, behind),
      pruneDeliveries: () => pruneDeliveries(database, behind),
      pruneWebhookDeliveries: () => pruneWebhookDeliveries(database, behind),
      pruneApprovals: () => pruneApprovals(database, behind),
      pruneDeletions: () => pruneDeletions(database, behind),
      pruneImports: () => pruneImports(database, behind),
      pruneWorks: () => pruneWorks(database, behind),
      closeJournal: () => closeJournal(context),
      dropJournal: () => dropJournal(pool),
      sweepDeletedUsers: () => sweepDeletedUsers(pool),
      cleanCommands: () => cleanCommands(context),
    });
  });
}

/** Deletes failed jobs after a day, in which the operator can look at them. */
async function cleanCommands({
  config,
  publisher,
}: Pick<WorkerContext, "config" | "publisher">): Promise<void> {
  const queue = openQueue(commandQueue, { connection: publisher, queuePrefix: config.queuePrefix });
  await queue.clean(24 * 3_600_000, 1_000, "failed");
  await queue.close();
}

const atATime = 1_000;

type Closed = Readonly<{ user: string; kind: EventName; times: number }>;

/** Writes rows for what was only counted in periods that have ended. */
async function closeJournal({
  database,
  security,
}: Pick<WorkerContext, "database" | "security">): Promise<void> {
  const sql = `select user_id as user, kind, times::float8 as times from journal_close(${atATime})`;
  for (let closed = atATime; closed === atATime; ) {
    const { rows } = await database.pool.query<Closed>(sql);
    closed = rows.length;
    for (const row of rows) if (row.times > 0) security({ ...row, isSum: true });
  }
}

/** Drops rows of the account journal that are older than 400 days. */
async function dropJournal(pool: Pool): Promise<void> {
  const sql = `select journal_drop(${atATime})::int as dropped`;
  for (let dropped = atATime; dropped === atATime; ) {
    const { rows } = await pool.query<{ dropped: number }>(sql);
    dropped = rows[0]?.dropped ?? 0;
  }
}

/** An hour of runs advances it by a day at most, and a pause between two runs by a minute. */
const advance = `
  with before as (select last_run_at > now() as was_set_back from upkeep_clock)
  update upkeep_clock set last_run_at = now(),
    reached = greatest(reached, least(now(),
      reached + 24 * least(greatest(now() - last_run_at, interval '0'), interval '1 minute')))
  returning least(reached - now(), interval '0')::text as behind, (select was_set_back from before)`;

type Advanced = Readonly<{
  /** The distance to PostgreSQL's clock, as an interval of zero or less. */
  behind: string;
  /** True if PostgreSQL's clock is behind the time of the last run. */
  was_set_back: boolean;
}>;

/**
 * Advances the clock that upkeep deletes by. PostgreSQL's clock may be wrong by days until somebody corrects it, and
 * deletions cannot be undone. After a jump, or a time out of service, this clock follows slowly.
 */
export async function advanceClock(pool: Pick<Pool, "query">): Promise<Advanced> {
  const { rows } = await pool.query<Advanced>(advance);
  return rows[0] ?? { behind: "0", was_set_back: false };
}

const scheduleMissed = `
  with undone as (
    delete from reminder_deliveries
    where created_at > now() and status = 'missed' and scheduled_at > now()
    returning user_id, todo_id, scheduled_at
  )
  update reminders r set status = 'scheduled', delivery_id = null, updated_at = now()
  from undone u
  where r.user_id = u.user_id and r.todo_id = u.todo_id and r.status = 'missed' and r.remind_at = u.scheduled_at`;

/** Before that, living processes renew the leases of deliveries that they are sending. */
const tryAgainSoon = `
  update reminder_deliveries set next_attempt_at = now() + interval '15 seconds'
  where finished_at is null and scheduled_at <= now() and next_attempt_at > now() + interval '15 seconds'`;

/** Schedules reminders that a clock far ahead marked as missed, and retries those that it put off. */
async function mendReminders({ pool }: Pick<Database, "pool">): Promise<void> {
  await pool.query(scheduleMissed);
  await pool.query(tryAgainSoon);
}

const rowsAtOnce = 10_000;

/** The keys of the oldest rows that have been kept for their time. */
const oldest = (table: string, key: string, time: string, kept: string): string => `(
  select ${key} from ${table}
  where ${time} < now() + $1::interval - interval '${kept}' order by ${time} limit ${rowsAtOnce}) old`;

const oldRows = (table: string, time: string, kept: string): string => `
  delete from ${table} d using ${oldest(table, "user_id, id", time, kept)}
  where d.user_id = old.user_id and d.id = old.id`;

/** Nobody can take these deletions back any more. A habit that came back and was deleted again has a newer one. */
const daysOfDeletedHabits = (table: "habit_completions" | "habit_amounts"): string => `
  delete from ${table} c using (
    select c.user_id, c.habit_id, c.local_date
    from (
      select * from deletions where deleted_at < now() + $1::interval - interval '30 days' order by deleted_at offset 0
    ) d
    cross join lateral (
      select * from ${table} c where c.user_id = d.user_id and c.habit_id = d.id
        and not exists (select from habits h where h.user_id = d.user_id and h.id = d.id)
        and not exists (
          select from deletions n
          where n.user_id = d.user_id and n.kind = d.kind and n.id = d.id and n.changed_xid > d.changed_xid)
      offset 0
    ) c
    where d.kind = ${deletionKinds.habits} limit ${rowsAtOnce}
  ) old
  where c.user_id = old.user_id and c.habit_id = old.habit_id and c.local_date = old.local_date`;

/** Deletions stay longer than the completions, so that none is left without its deletion. */
const oldDeletions = `
  with gone as (
    delete from deletions d
    using ${oldest("deletions", "user_id, changed_xid, kind, id", "deleted_at", "30 days 1 hour")}
    where d.user_id = old.user_id and d.changed_xid = old.changed_xid and d.kind = old.kind and d.id = old.id
    returning d.changed_xid
  ), noted as (
    update change_horizon set pruned_xid = greatest(pruned_xid, (select max(changed_xid) from gone))
    where exists (select from gone)
  )
  select from gone`;

/** A file that is being replaced or imported now is left to a later run. A part has up to 48,000 characters. */
const oldParts = `
  delete from import_parts p using (
    select i.user_id, i.part from import_parts i
    left join lateral (
      select w.id from works w where w.user_id = i.user_id and w.ended_at is null limit 1
    ) w on true
    where i.created_at < now() + $1::interval - interval '1 day' and w.id is null
    order by i.created_at limit 200 for update of i skip locked
  ) old
  where p.user_id = old.user_id and p.part = old.part`;

/**
 * Deletes few rows at a time, so that no other statement waits long.
 * @param travel distance from the present, as an interval
 * @returns the number of rows that the last statement deleted
 */
const pruning =
  (...statements: readonly string[]) =>
  async ({ pool }: Pick<Database, "pool">, travel = "0"): Promise<number> => {
    let deleted = 0;
    for (const statement of statements) {
      deleted = 0;
      for (let rows = -1; rows !== 0; deleted += rows)
        rows = (await pool.query(statement, [travel])).rowCount ?? 0;
    }
    return deleted;
  };

export const pruneDeliveries = pruning(oldRows("reminder_deliveries", "created_at", "30 days"));
/** Deliveries that are still to be sent stay. */
const pruneWebhookDeliveries = pruning(oldRows("webhook_deliveries", "finished_at", "3 days"));
export const pruneApprovals = pruning(oldRows("approvals", "created_at", "30 days"));
/** A client whose copy may still have the deleted things must start anew. */
export const pruneDeletions = pruning(
  daysOfDeletedHabits("habit_completions"),
  daysOfDeletedHabits("habit_amounts"),
  oldDeletions,
);
/** Files that nobody confirmed within a day. */
export const pruneImports = pruning(oldParts);
const pruneWorks = pruning("delete from works where ended_at < now() + $1::interval - interval '1 day'");

/** A table in partitions by time: the length of each, how far ahead it is made, and when it is dropped. */
type Kept = Readonly<{
  table: "inbox" | "action_log" | "action_images";
  kind: "keyless" | "keyed" | "all";
  step: string;
  ahead: string;
  /** The time that a partition is kept after its end. */
  after: string;
}>;

/**
 * A keyless reply is needed for seconds: while its caller waits, or its job may come twice; ids may be off by ten
 * minutes. Keyed replies are needed for 24 hours of repeats, images for 30 days of undo. A partition is dropped as a
 * whole, so a row is kept up to one step longer.
 */
export const keptFor = (actionLogDays: number): readonly Kept[] => [
  { table: "inbox", kind: "keyless", step: "10 minutes", ahead: "1 hour", after: "10 minutes" },
  { table: "inbox", kind: "keyed", step: "12 hours", ahead: "24 hours", after: "24 hours" },
  { table: "action_log", kind: "all", step: "1 month", ahead: "2 months", after: `${actionLogDays} days` },
  { table: "action_images", kind: "all", step: "1 day", ahead: "2 days", after: "30 days" },
];

/**
 * A row may have the time of a front door, which may be ten minutes off.
 * @param travel distance from the present, as an interval, for tests that move in time
 */
export async function makePartitions(
  pool: Pick<Pool, "query">,
  kept: readonly Kept[],
  travel = "0",
): Promise<void> {
  for (const { table, kind, step, ahead } of kept)
    await pool.query(
      `select make_partitions($1, $2, $3::interval, now() + $5::interval - interval '10 minutes',
         now() + $5::interval + $4::interval)`,
      [table, kind, step, ahead, travel],
    );
}

/**
 * Makes the partitions that commands need now. Upkeep makes them ahead, but the clock may jump between its runs.
 * Simultaneous commands share one call, which never throws: their next attempt shows the result.
 */
export function createPartitionMaker(pool: Pick<Pool, "query">, log: Log): () => Promise<void> {
  const present = keptFor(0).map((one) => ({ ...one, ahead: "10 minutes" }));
  const notMade = (error: Error) => log.warn({ reason: error.message }, "partitions not made");
  let running: Promise<void> | undefined;
  return () => {
    running ??= makePartitions(pool, present)
      .catch(notMade)
      .finally(() => {
        running = undefined;
      });
    return running;
  };
}

/**
 * Drops expired partitions one after another. One that somebody reads is left for the next run, because everybody else
 * would wait behind the lock.
 * @param travel distance from the present, as an interval
 */
export async function dropPartitions(
  { pool }: Pick<Database, "pool">,
  log: Log,
  kept: readonly Kept[],
  travel = "0",
): Promise<void> {
  for (const { table, kind, after } of kept) {
    const { rows } = await pool.query<{ name: string }>(
      `select name from list_partitions($1)
       where kind = $2 and upper <= now() + $4::interval - $3::interval order by upper`,
      [table, kind, after, travel],
    );
    for (const { name } of rows)
      await pool
        .query("select drop_partition($1, $2)", [table, name])
        .catch((error: Error) =>
          log.debug({ partition: name, reason: error.message }, "partition not dropped yet"),
        );
  }
}
