import type { Pool } from "pg";
import type { Database } from "../../shared/db/orm.ts";
import type { Log } from "../../shared/process/observe/log.ts";

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
