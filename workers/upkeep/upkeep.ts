import { commandQueue, openQueue } from "../../shared/queue/queues.ts";
import type { WorkerContext } from "../context.ts";
import { startSchedule } from "../schedule.ts";
import { sweepDeletedUsers } from "./deleted-users.ts";
import { pruneDeletions, pruneDeliveries } from "./old-rows.ts";
import { dropPartitions, keptFor, makePartitions } from "./partitions.ts";

const everyMs = 60_000;

/** Starts this process's share of the upkeep. It makes partitions first, so that the first command has one. */
export async function startUpkeep(context: WorkerContext): Promise<{ stop(): Promise<void> }> {
  const { database, config, log } = context;
  const notMade = (error: unknown) => log.warn({ reason: String(error) }, "partitions not made yet");
  await makePartitions(database.pool, keptFor(config.actionLogDays)).catch(notMade);
  return startSchedule(log, { name: "upkeep", everyMs, run: () => runUpkeep(context) });
}

/** One worker does the upkeep for all; the others find the lock taken. The lock ends with its connection. */
async function runUpkeep(context: WorkerContext): Promise<void> {
  const { database, config, log } = context;
  const kept = keptFor(config.actionLogDays);
  const client = await database.pool.connect();
  try {
    const { rows } = await client.query("select pg_try_advisory_lock(hashtext('kept.upkeep')) as free");
    if (!rows[0].free) return;
    await makePartitions(client, kept);
    await dropPartitions(client, log, kept);
    await pruneDeliveries(client);
    await pruneDeletions(client);
    await sweepDeletedUsers(client);
    await cleanCommands(context);
  } finally {
    client.release(true);
  }
}

/** Deletes failed jobs, which stay for a day so that the operator can look at them. */
async function cleanCommands({ config, publisher }: WorkerContext): Promise<void> {
  const queue = openQueue(commandQueue, { connection: publisher, queuePrefix: config.queuePrefix });
  await queue.clean(24 * 3_600_000, 1_000, "failed");
  await queue.close();
}
