import { afterAll, test } from "bun:test";
import { SQL } from "bun";
import { startRoles } from "../../support/chaos/roles.ts";
import { expectNothingLost, type WrittenThrough, writeInRounds } from "../../support/chaos/write-through.ts";
import {
  createPooledDatabase,
  type Pooler,
  pgbouncer,
  startPooler,
} from "../../support/servers/pgbouncer.ts";
import { services } from "../../support/servers/services.ts";
import { type PatroniCluster, startPatroniCluster } from "./cluster.ts";
import { isInstalled } from "./programs.ts";

type Stage = Readonly<{ cluster: PatroniCluster; pooler: Pooler; sql: SQL }>;

/** Two servers with a database as docs/postgres.md says, and a pooler that may be used. */
async function startStage(): Promise<Stage> {
  const cluster = await startPatroniCluster();
  const pooler = await startPooler(cluster.url, await createPooledDatabase(cluster.url));
  const sql = new SQL(pooler.direct.owner, { max: 1 });
  afterAll(async () => {
    await sql.close();
    await pooler.stop();
    await cluster.stop();
  });
  return { cluster, pooler, sql };
}

/**
 * Writes through two doors and two workers while the primary moves.
 * @returns the results of each time
 */
async function moveUnderWriters(
  { cluster, pooler }: Stage,
  way: "direct" | "pooled",
): Promise<WrittenThrough[]> {
  const { door: api, worker: workers } = pooler[way];
  const env = {
    DATABASE_PREPARE: way === "direct" ? "yes" : pooler.prepare,
    REDIS_URL: (await services()).redisUrl,
    QUEUE_PREFIX: `patroni-${way}`,
  };
  const roles = await startRoles({ env, databases: { api, workers }, apis: 2, workers: 2 });
  const disturb = () => cluster.settled().then(cluster.switchOver);
  const times = await writeInRounds(roles, { name: way, most: 2, longestGapMs: 4_000, disturb });
  await roles.stop();
  return times;
}

const isPossible = isInstalled && pgbouncer !== undefined;
if (!isPossible)
  console.log("Left out: it needs patroni, etcd-server, haproxy, postgresql-15 and pgbouncer.");

test.skipIf(!isPossible)(
  "a switchover by Patroni loses, doubles and misreports no write, behind HAProxy and behind PgBouncer too",
  async () => {
    const stage = await startStage();
    const direct = await moveUnderWriters(stage, "direct");
    const pooled = await moveUnderWriters(stage, "pooled");
    await expectNothingLost(stage.sql, [...direct, ...pooled]);
  },
  300_000,
);
