import type { Pool, PoolClient } from "pg";
import type { Log } from "../../shared/process/log.ts";

/** Tables in partitions by time: what one covers, how far ahead they are made, and when one is dropped. */
export type Kept = Readonly<{
  table: "inbox" | "action_log";
  kind: "keyless" | "keyed" | "all";
  step: string;
  ahead: string;
  /** After the end of a partition's time. */
  after: string;
}>;

/**
 * Replies without a key serve a redelivery, which comes within seconds; keyed ones the 24 hours in which a
 * repeat is answered. A whole partition goes at once, so that a row stays up to one step longer.
 */
export const keptFor = (actionLogDays: number): readonly Kept[] => [
  { table: "inbox", kind: "keyless", step: "30 minutes", ahead: "2 hours", after: "30 minutes" },
  { table: "inbox", kind: "keyed", step: "12 hours", ahead: "24 hours", after: "24 hours" },
  { table: "action_log", kind: "all", step: "1 month", ahead: "2 months", after: `${actionLogDays} days` },
];

/** @param travel how far from the present to look, as an interval: tests travel in time */
export async function makePartitions(
  pool: Pick<Pool, "query">,
  kept: readonly Kept[],
  travel = "0",
): Promise<void> {
  for (const { table, kind, step, ahead } of kept)
    await pool.query(
      `select make_partitions($1, $2, $3::interval, now() + $5::interval,
         now() + $5::interval + $4::interval)`,
      [table, kind, step, ahead, travel],
    );
}

/** Drops what is over, one after another: without ever standing in the way of who reads or writes. */
export async function dropPartitions(
  client: Pick<PoolClient, "query">,
  log: Log,
  kept: readonly Kept[],
  travel = "0",
): Promise<void> {
  for (const { table, kind, after } of kept) {
    const { rows } = await client.query<{ name: string; detaching: boolean }>(
      `select name, detaching from list_partitions($1)
       where kind = $2 and upper <= now() + $4::interval - $3::interval order by upper`,
      [table, kind, after, travel],
    );
    for (const { name, detaching } of rows)
      await dropPartition(client, table, name, detaching).catch((error: Error) =>
        log.debug({ partition: name, reason: error.message }, "partition not dropped yet"),
      );
  }
}

/**
 * A plain DROP would wait for every reader of the whole table, and everybody else behind it. Detached
 * concurrently, a partition waits alone; what is interrupted is finished next time.
 */
async function dropPartition(
  client: Pick<PoolClient, "query">,
  table: string,
  name: string,
  detaching: boolean,
): Promise<void> {
  await client.query(
    `alter table ${table} detach partition ${name} ${detaching ? "finalize" : "concurrently"}`,
  );
  await client.query(`drop table ${name}`);
}
