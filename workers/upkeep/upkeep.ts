import { exclusively } from "../../shared/db/exclusively.ts";
import { lanePrefixes } from "../../shared/queue/lanes.ts";
import { commandQueue, openQueue } from "../../shared/queue/queues.ts";
import type { WorkerContext } from "../context.ts";
import { startSchedule } from "../schedule.ts";
import { sweepDeletedUsers } from "./deleted-users.ts";
import { pruneDeletions, pruneDeliveries, pruneImports } from "./old-rows.ts";
import { dropPartitions, keptFor, makePartitions } from "./partitions.ts";
import { runSteps } from "./run-steps.ts";

const everyMs = 60_000;
/** A run may have many rows to delete, but must not keep others from making partitions, which are made for an hour. */
const withinMs = 20 * 60_000;

/** Starts this process's share of the upkeep. It makes partitions first, so that the first command has one. */
export async function startUpkeep(context: WorkerContext): Promise<{ stop(): Promise<void> }> {
  const { database, config, log } = context;
  const notMade = (error: unknown) => log.warn({ reason: String(error) }, "partitions not made yet");
  await makePartitions(database.pool, keptFor(config.actionLogDays)).catch(notMade);
  return startSchedule(context, { name: "upkeep", everyMs, withinMs, run: () => runUpkeep(context) });
}

/** One worker does the upkeep for all; the others find the lock taken. */
async function runUpkeep(context: WorkerContext): Promise<void> {
  const { database, log, config } = context;
  const { pool } = database;
  await exclusively(pool, { name: "kept.upkeep", taken: "skip" }, async () => {
    const kept = keptFor(config.actionLogDays);
    await runSteps({
      makePartitions: () => makePartitions(pool, kept),
      dropPartitions: () => dropPartitions(database, log, kept),
      pruneDeliveries: () => pruneDeliveries(database),
      pruneDeletions: () => pruneDeletions(database),
      pruneImports: () => pruneImports(database),
      sweepDeletedUsers: () => sweepDeletedUsers(pool),
      cleanCommands: () => cleanCommands(context),
    });
  });
}

/** Deletes failed jobs, which stay for a day so that the operator can look at them. */
async function cleanCommands({ config, publisher }: WorkerContext): Promise<void> {
  for (const queuePrefix of lanePrefixes(config.queuePrefix, config.queueLanes)) {
    const queue = openQueue(commandQueue, { connection: publisher, queuePrefix });
    await queue.clean(24 * 3_600_000, 1_000, "failed");
    await queue.close();
  }
}
