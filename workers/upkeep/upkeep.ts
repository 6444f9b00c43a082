import type { Pool } from "pg";
import { exclusively } from "../../shared/db/exclusively.ts";
import { commandQueue, openQueue } from "../../shared/queue/queues.ts";
import type { WorkerContext } from "../context.ts";
import { startSchedule } from "../schedule.ts";
import { sweepDeletedUsers } from "./deleted-users.ts";
import { dropPartitions, keptFor, makePartitions } from "./partitions.ts";

const everyMs = 60_000;
const batch = 10_000;

/** Starts this process's share of the upkeep. It makes partitions first, so that the first command has one. */
export async function startUpkeep(context: WorkerContext): Promise<{ stop(): Promise<void> }> {
  const { database, config, log } = context;
  const notMade = (error: unknown) => log.warn({ reason: String(error) }, "partitions not made yet");
  await makePartitions(database.pool, keptFor(config.actionLogDays)).catch(notMade);
  return startSchedule(log, { name: "upkeep", everyMs, run: () => runUpkeep(context) });
}

/** One worker does the upkeep for all; the others find the lock taken. */
async function runUpkeep(context: WorkerContext): Promise<void> {
  const { pool } = context.database;
  const { log, config } = context;
  await exclusively(pool, { name: "kept.upkeep", taken: "skip" }, async () => {
    const kept = keptFor(config.actionLogDays);
    await makePartitions(pool, kept);
    await dropPartitions(pool, log, kept);
    await pruneDeliveries(pool);
    await sweepDeletedUsers(pool);
    await cleanCommands(context);
  });
}

/**
 * Deletes deliveries after 30 days, in small batches, so that no other statement waits long.
 * @param travel the interval by which tests travel in time
 * @returns how many rows were deleted
 */
export async function pruneDeliveries(pool: Pick<Pool, "query">, travel = "0"): Promise<number> {
  const sql = `delete from reminder_deliveries d using (
    select user_id, id from reminder_deliveries
    where created_at < now() + $1::interval - interval '30 days' order by created_at limit ${batch}) old
    where d.user_id = old.user_id and d.id = old.id`;
  let deleted = 0;
  for (let rows = batch; rows === batch; deleted += rows)
    rows = (await pool.query(sql, [travel])).rowCount ?? 0;
  return deleted;
}

/** Deletes failed jobs, which stay for a day so that the operator can look at them. */
async function cleanCommands({ config, publisher }: WorkerContext): Promise<void> {
  const queue = openQueue(commandQueue, { connection: publisher, queuePrefix: config.queuePrefix });
  await queue.clean(24 * 3_600_000, 1_000, "failed");
  await queue.close();
}
