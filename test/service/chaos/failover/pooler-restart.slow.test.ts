import { afterAll, test } from "bun:test";
import { SQL } from "bun";
import { startRoles } from "../../../support/chaos/roles.ts";
import { expectNothingLost, writeInRounds } from "../../../support/chaos/write-through.ts";
import { createPooledDatabase, pgbouncer, startPooler } from "../../../support/servers/pgbouncer.ts";
import { services } from "../../../support/servers/services.ts";

/** Two doors and two workers behind PgBouncer, set up as docs/postgres.md says. */
async function startService() {
  const { databaseUrl, redisUrl } = await services();
  const pooler = await startPooler(databaseUrl, await createPooledDatabase(databaseUrl));
  const { door: api, worker: workers } = pooler.pooled;
  const env = {
    DATABASE_PREPARE: pooler.prepare,
    REDIS_URL: redisUrl,
    QUEUE_PREFIX: crypto.randomUUID(),
  };
  const roles = await startRoles({ env, databases: { api, workers }, apis: 2, workers: 2 });
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
    const disturb = () => pooler.kill().then(pooler.start);
    const rounds = { name: "PgBouncer killed", most: 3, longestGapMs: 1_000, disturb };
    await expectNothingLost(sql, await writeInRounds(roles, rounds));
  },
);
