import type { Pool } from "pg";
import type { Registry } from "prom-client";
import { type Database, openDatabase } from "../../../shared/db/orm.ts";
import { writtenPosition } from "../../../shared/db/written-position.ts";
import type { Config } from "../../../shared/process/config.ts";
import { readConnections } from "../../../shared/process/connections.ts";
import type { Log } from "../../../shared/process/observe/log.ts";
import { throttled } from "../../../shared/process/observe/throttle-log.ts";
import type { Reply } from "../../../shared/queue/batch.ts";
import type { RedisConnection } from "../../../shared/queue/connections.ts";
import {
  createWrittenPositions,
  notesPositions,
  positionsKeptMs,
} from "../../../shared/queue/written-positions.ts";
import type { Inbox } from "../../mailbox/stored-replies.ts";
import { createCoalescedReads } from "../engine/coalesced-reads.ts";
import { openQueryDatabase, type QueryDatabase } from "../engine/guard.ts";
import { createLastChanges } from "./last-changes.ts";
import { showStandby } from "./metrics.ts";
import { createProbe, type StandbyProbe } from "./probe.ts";
import { createStandbyReads } from "./reads.ts";
import { type StandbyWatch, watchStandby } from "./watch.ts";

/** The databases from which a front door reads. */
export type Reads = Readonly<{
  /** For decisions of the door. */
  primary: QueryDatabase;
  /** For display: the standby if there is one, else the primary. */
  shown: QueryDatabase;
  inbox: Inbox;
  /** Connections, by server. */
  pools: Readonly<{ primary: Pool; standby?: Pool }>;
  /** Call this with each reply of a worker. */
  checkReply?(reply: Reply): void;
  close(): Promise<void>;
}>;

type Dependencies = Readonly<{
  config: Config;
  log: Log;
  database: Database;
  redis: RedisConnection;
  registry: Registry;
}>;

/** Opens the standby of READ_DATABASE_URL. When that is unset, everything is read from the database itself. */
export async function openReads(parts: Dependencies): Promise<Reads> {
  const { config, log, database, registry } = parts;
  const { readDatabaseUrl: url, databasePrepare: prepare } = config;
  const connections = readConnections(config);
  const [primary, { pool }] = [openQueryDatabase(database), database];
  if (url === undefined)
    return { primary, shown: primary, inbox: { pool }, pools: { primary: pool }, close: async () => {} };
  const standby = await openDatabase({
    ...{ url, purpose: "standby-reads", prepare, connections },
    // The watch logs outages once, so connections stay silent.
    log: log.child({}, { level: "silent" }),
    inspect: (connection) => probe.inspect(connection),
  });
  const probe = createProbe(standby.pool);
  const watch = openWatch(parts, probe);
  const count = showStandby(registry, watch);
  const lastChanges = openLastChanges(parts);
  const sayFailed = throttled((reason: string) => log.warn({ reason }, "a read failed at the standby"));
  const run = createStandbyReads({
    standby: createCoalescedReads(standby.pool),
    primary: primary.run,
    watch,
    lastChangeOf: lastChanges?.of ?? (() => 0),
    note(outcome, error) {
      count(outcome);
      if (error instanceof Error && watch.isUsable()) sayFailed(error.message);
    },
  });
  return {
    primary,
    shown: { ...primary, run },
    inbox: { pool, ...(lastChanges && { onFound: lastChanges.noteLost }) },
    pools: { primary: pool, standby: standby.pool },
    ...(lastChanges && { checkReply: lastChanges.check }),
    async close() {
      watch.close();
      await standby.close();
    },
  };
}

function openWatch({ config, log, database }: Dependencies, probe: StandbyProbe): StandbyWatch {
  const isPromised = config.readDatabaseSync === "remote_apply";
  return watchStandby({
    probe,
    log,
    // Positions are stored for twice as long, so every standby in use shows changes whose position has expired.
    maxLagMs: positionsKeptMs / 2,
    askPrimary: async () =>
      isPromised && !(await waitsForStandbys(database)) ? undefined : writtenPosition(database.pool),
  });
}

async function waitsForStandbys({ pool }: Database): Promise<boolean> {
  const { rows } = await pool.query<{ waits: boolean }>(`
    select current_setting('synchronous_commit') = 'remote_apply'
      and current_setting('synchronous_standby_names') <> '' as waits`);
  return rows[0]?.waits ?? false;
}

/** @returns undefined if commits wait for the standby, which then always shows them */
function openLastChanges({ config, log, database, redis }: Dependencies) {
  if (!notesPositions(config)) return undefined;
  return createLastChanges({
    redis,
    positions: createWrittenPositions(redis, config.queuePrefix),
    askPrimary: () => writtenPosition(database.pool),
    onWorkers(note) {
      if (note) log.info("workers note positions again");
      else
        log.error(
          "a worker notes no positions, so the standby is not used: set READ_DATABASE_URL for it too",
        );
    },
  });
}
