import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { startRoles } from "../../../support/chaos/roles.ts";
import { callDoors } from "../../../support/chaos/world.ts";
import {
  expectNothingLost,
  type WrittenThrough,
  writeThrough,
} from "../../../support/chaos/write-through.ts";
import { createPooledDatabase, pgbouncer, startPooler } from "../../../support/servers/pgbouncer.ts";
import { services } from "../../../support/servers/services.ts";

/** A machine that stalls only makes a gap longer, so the shortest of a few counts. What is lost counts in each. */
const rounds = 3;
const longestGapMs = 1_000;

/** Two doors and two workers behind PgBouncer, set up as docs/postgres.md says. */
async function startService() {
  const { databaseUrl, redisUrl } = await services();
  const pooler = await startPooler(databaseUrl, await createPooledDatabase(databaseUrl));
  const { door, worker } = pooler.pooled;
  const env = {
    DATABASE_PREPARE: pooler.prepare,
    REDIS_URL: redisUrl,
    QUEUE_PREFIX: `pooler-${crypto.randomUUID()}`,
    RATE_LIMIT_PER_MINUTE: "0",
    LOG_LEVEL: "silent",
  };
  const databases = { api: door, workers: worker };
  const roles = await startRoles({ env, databases, apis: 2, workers: 2 });
  const sql = new SQL(pooler.direct.owner, { max: 1 });
  afterAll(async () => {
    await sql.close();
    await roles.stop();
    await pooler.stop();
  });
  return { pooler, sql, roles };
}

test.skipIf(!pgbouncer)(
  "a restart of PgBouncer after kill -9 loses, doubles and misreports no write",
  async () => {
    const { pooler, sql, roles } = await startService();
    const times: WrittenThrough[] = [];
    while (times.length < rounds && !times.some((time) => time.longestGapMs <= longestGapMs)) {
      const token = await roles.issuer.token({ sub: crypto.randomUUID() });
      const time = await writeThrough(callDoors(roles.baseUrls, token), async () => {
        await pooler.kill();
        await pooler.start();
      });
      times.push(time);
      console.log(
        `PgBouncer killed: ${time.created.length} acknowledged, longest gap ${Math.round(time.longestGapMs)} ms`,
      );
    }
    await expectNothingLost(sql, times);
    expect(Math.min(...times.map((time) => time.longestGapMs))).toBeLessThanOrEqual(longestGapMs);
  },
  120_000,
);
