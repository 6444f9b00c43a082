import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { createPooledDatabase, pgbouncer, startPooler } from "../support/pgbouncer.ts";
import { startRoles } from "../support/roles.ts";
import { services } from "../support/services.ts";
import { callDoors } from "./world.ts";
import { writeThrough } from "./write-through.ts";

/** A machine that stalls only makes a gap longer, so the shortest of a few counts. What is lost counts in each. */
const rounds = 3;
const longestGapMs = 1_000;

/** Two doors and two workers behind PgBouncer, set up as docs/postgres.md says. */
async function startService() {
  const { databaseUrl, redisUrl } = await services();
  const pooler = await startPooler(databaseUrl, await createPooledDatabase(databaseUrl));
  const { doors, workers } = pooler.pooled;
  const env = {
    DATABASE_PREPARE: pooler.prepare,
    REDIS_URL: redisUrl,
    QUEUE_PREFIX: `pooler-${crypto.randomUUID()}`,
    RATE_LIMIT_PER_MINUTE: "0",
    LOG_LEVEL: "silent",
  };
  const databases = { api: doors, workers };
  const roles = await startRoles({ env, databases, apis: 2, workers: 2 });
  const sql = new SQL(pooler.direct.owner, { max: 1 });
  afterAll(async () => {
    await sql.close();
    await roles.stop();
    await pooler.stop();
  });
  return { pooler, sql, call: callDoors(roles.baseUrls, await roles.issuer.token()) };
}

test.skipIf(!pgbouncer)(
  "a restart of PgBouncer after kill -9 loses, doubles and misreports no write",
  async () => {
    const { pooler, sql, call } = await startService();
    const gaps: number[] = [];
    const acknowledged: string[] = [];
    while (gaps.length < rounds && !gaps.some((gap) => gap <= longestGapMs)) {
      const { created, wrong, written, longestGapMs } = await writeThrough(call, async () => {
        await pooler.kill();
        await pooler.start();
      });
      expect(wrong).toEqual([]);
      for (const { toggled } of written) expect(toggled).toEqual(toggled.map((_, index) => index % 2 === 0));
      gaps.push(longestGapMs);
      acknowledged.push(...created);
      console.log(
        `PgBouncer killed: ${created.length} acknowledged, longest gap ${Math.round(longestGapMs)} ms`,
      );
    }
    const rows: { title: string }[] =
      await sql`select title from todos where title not like 'own of writer %'`;
    expect(rows.map(({ title }) => title).sort()).toEqual(acknowledged.sort());
    expect(Math.min(...gaps)).toBeLessThanOrEqual(longestGapMs);
  },
  120_000,
);
