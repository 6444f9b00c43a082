import { Queue } from "bullmq";
import type { Pool } from "pg";
import { commandQueue, keyPrefix } from "../shared/queue/queues.ts";
import type { WorkerContext } from "./context.ts";
import { startSchedule } from "./schedule.ts";

const everyMs = 600_000;
const batch = 50_000;

/**
 * What is kept for a time only. Replies to keyed commands: 24 hours, the window in which a repeat is
 * answered. Deliveries: 30 days. The action log is kept whole.
 */
const expired: readonly { table: string; after: string }[] = [
  { table: "inbox", after: "24 hours" },
  { table: "reminder_deliveries", after: "30 days" },
];

/** Starts this process's share of the upkeep: every ten minutes, over all processes. */
export function startUpkeep(context: WorkerContext): Promise<{ stop(): Promise<void> }> {
  const { database, now } = context;
  return startSchedule(context, {
    name: "upkeep",
    everyMs,
    async run() {
      await prune(database.pool, now());
      await cleanCommands(context);
    },
  });
}

/**
 * Deletes what has expired at `now` (epoch ms), in small batches, so that nobody waits for it.
 * @returns how many rows went
 */
export async function prune(pool: Pool, now: number): Promise<number> {
  let deleted = 0;
  for (const { table, after } of expired) {
    const sql = `delete from ${table} where ctid = any(array(
      select ctid from ${table} where created_at < $1::timestamptz - interval '${after}' limit ${batch}))`;
    for (let rows = batch; rows === batch; deleted += rows)
      rows = (await pool.query(sql, [new Date(now).toISOString()])).rowCount ?? 0;
  }
  return deleted;
}

/** Finished jobs go by themselves; failed ones stay for a day, for the operator to look at. */
async function cleanCommands({ config, publisher }: WorkerContext): Promise<void> {
  const queue = new Queue(commandQueue, {
    connection: publisher,
    prefix: keyPrefix(config.queuePrefix),
    skipVersionCheck: true,
    skipWaitingForReady: true,
  });
  await queue.clean(24 * 3_600_000, 1_000, "failed");
  await queue.close();
}
