import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { startRoles } from "../../support/chaos/roles.ts";
import { callDoors } from "../../support/chaos/world.ts";
import { expectNothingLost, type WrittenThrough, writeThrough } from "../../support/chaos/write-through.ts";
import {
  createPooledDatabase,
  type Pooler,
  pgbouncer,
  startPooler,
} from "../../support/servers/pgbouncer.ts";
import { services } from "../../support/servers/services.ts";
import { type PatroniCluster, startPatroniCluster } from "./cluster.ts";
import { isInstalled } from "./programs.ts";

/** A machine that stalls only makes a gap longer, so the shorter of two counts. Lost writes of both count. */
const rounds = 2;
const longestGapMs = 4_000;

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
  const { redisUrl } = await services();
  const env = {
    DATABASE_PREPARE: way === "direct" ? "yes" : pooler.prepare,
    REDIS_URL: redisUrl,
    QUEUE_PREFIX: `patroni-${way}`,
    RATE_LIMIT_PER_MINUTE: "0",
    LOG_LEVEL: "silent",
  };
  const roles = await startRoles({ env, databases: { api, workers }, apis: 2, workers: 2 });
  const times: WrittenThrough[] = [];
  while (times.length < rounds && !times.some((time) => time.longestGapMs <= longestGapMs)) {
    await cluster.settled();
    const token = await roles.issuer.token({ sub: crypto.randomUUID() });
    const time = await writeThrough(callDoors(roles.baseUrls, token), cluster.switchOver);
    times.push(time);
    const gap = Math.round(time.longestGapMs);
    console.log(`${way}: ${time.created.length} todos acknowledged, longest gap ${gap} ms`);
  }
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
    for (const times of [direct, pooled])
      expect(Math.min(...times.map((time) => time.longestGapMs))).toBeLessThanOrEqual(longestGapMs);
  },
  300_000,
);
