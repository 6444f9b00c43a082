import type { Pool, PoolClient } from "pg";
import { Counter, type Registry } from "prom-client";
import { DatabaseFailure, wasStopped } from "../../shared/db/database-failure.ts";
import { type Database, openDatabase } from "../../shared/db/orm.ts";
import type { Config } from "../../shared/process/config.ts";
import { readConnections } from "../../shared/process/connections.ts";
import type { Log } from "../../shared/process/observe/log.ts";
import { createCoalescedReads, type RunRead } from "./engine/coalesced-reads.ts";
import { openQueryDatabase, type QueryDatabase } from "./engine/context.ts";

/** The databases from which a front door reads. */
export type Reads = Readonly<{
  /** For decisions of the door. */
  primary: QueryDatabase;
  /** For display: the standby if there is one, else the primary. */
  shown: QueryDatabase;
  pools: Readonly<{ primary: Pool; standby?: Pool }>;
  close(): Promise<void>;
}>;

type Dependencies = Readonly<{ config: Config; log: Log; database: Database; registry: Registry }>;

/** Opens the standby of READ_DATABASE_URL. When that is unset, everything is read from the database itself. */
export async function openReads({ config, log, database, registry }: Dependencies): Promise<Reads> {
  const { readDatabaseUrl: url, databasePrepare: prepare } = config;
  const [primary, { pool }] = [openQueryDatabase(database), database];
  if (url === undefined) return { primary, shown: primary, pools: { primary: pool }, close: async () => {} };
  const standby = await openDatabase({
    ...{ url, purpose: "standby-reads", prepare, connections: readConnections(config) },
    // The reads log an outage once, so connections stay silent.
    log: log.child({}, { level: "silent" }),
    inspect: (connection) => demandRemoteApply(pool, connection),
    replaceAfterSeconds: promiseSeconds,
  });
  const reads = createStandbyReads(createCoalescedReads(standby.pool), primary.run, { log, registry });
  reads.note(await standby.pool.query("select").catch((error: Error) => error));
  return {
    primary,
    shown: { run: reads.run },
    pools: { primary: pool, standby: standby.pool },
    close: standby.close,
  };
}

/** A promise that the primary has given up shows within this time. */
const promiseSeconds = 5;

/** @throws when a commit of the primary may return before this server shows it */
async function demandRemoteApply(primary: Pool, standby: PoolClient): Promise<void> {
  const { rows } = await standby.query<{ follows: boolean }>("select pg_is_in_recovery() as follows");
  if (!rows[0]?.follows) throw new Error("READ_DATABASE_URL leads to a server that is no standby");
  const settings = await primary.query<{ commit: string; names: string }>(
    "select current_setting('synchronous_commit') as commit, current_setting('synchronous_standby_names') as names",
  );
  const { commit = "", names = "" } = settings.rows[0] ?? {};
  if (commit !== "remote_apply" || !waitsForAll(names))
    throw new Error(
      `the primary's commits do not wait until every standby shows them (synchronous_commit is ${commit}, synchronous_standby_names is '${names}')`,
    );
}

/** @param setting of synchronous_standby_names; `one, two` means the same as `FIRST 1 (one, two)` */
function waitsForAll(setting: string): boolean {
  const [, count = "1", list = setting] = /^(?:first|any)?\s*(\d+)\s*\((.+)\)$/i.exec(setting.trim()) ?? [];
  const names = list.split(",").map((name) => name.trim());
  return names.length <= Number(count) && !names.some((name) => name === "" || name === "*");
}

/** After a failure the primary answers for so long (ms); then one read tries the standby. */
const restMs = 1_000;

/** Reads from the standby, and from the primary when that fails. */
function createStandbyReads(
  standby: RunRead,
  primary: RunRead,
  { log, registry }: Pick<Dependencies, "log" | "registry">,
) {
  const counter = new Counter({
    name: "kept_standby_reads_total",
    help: "Statements of reads that the standby may answer, by the server that answered",
    labelNames: ["server"],
    registers: [registry],
  });
  let isUsable: boolean | undefined;
  let tryAt = 0;

  function note(outcome: unknown): void {
    const failed = outcome instanceof Error;
    if (failed) tryAt = performance.now() + restMs;
    if (isUsable === !failed) return;
    isUsable = !failed;
    if (failed)
      log.warn({ reason: outcome.message }, "the standby is not used, and the primary answers its reads");
    else log.info("the standby answers reads");
  }

  function askPrimary<Row extends object>(...read: Parameters<RunRead>): Promise<Row[]> {
    counter.inc({ server: "primary" });
    return primary<Row>(...read);
  }

  return {
    note,
    async run<Row extends object>(...read: Parameters<RunRead>): Promise<Row[]> {
      const now = performance.now();
      if (!isUsable && now < tryAt) return askPrimary<Row>(...read);
      if (!isUsable) tryAt = now + restMs;
      try {
        const rows = await standby<Row>(...read);
        note(rows);
        counter.inc({ server: "standby" });
        return rows;
      } catch (error) {
        // A read that PostgreSQL stopped takes too long at the primary as well.
        if (error instanceof DatabaseFailure && wasStopped(error.cause)) throw error;
        note(error);
        return askPrimary<Row>(...read);
      }
    },
  };
}
