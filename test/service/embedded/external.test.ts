import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { RedisClient, SQL } from "bun";
import { startPostgres } from "../../../shared/embedded/servers/postgres.ts";
import { startRedis } from "../../../shared/embedded/servers/redis.ts";
import { look, newParent, newPlace, removeParent, shareRuntime, startIn } from "./instance.ts";

let parent: string;
let postgres: Awaited<ReturnType<typeof startPostgres>>;
let redis: Awaited<ReturnType<typeof startRedis>>;

beforeAll(async () => {
  parent = await newParent();
  shareRuntime(parent);
  const elsewhere = join(parent, "elsewhere");
  [postgres, redis] = await Promise.all([startPostgres(elsewhere), startRedis(elsewhere)]);
}, 60_000);

afterAll(async () => {
  await Promise.all([redis.stop(), postgres.stop()]);
  removeParent(parent);
});

test("with DATABASE_URL and REDIS_URL set, those are used and none is started", async () => {
  const place = await newPlace(parent);
  const run = startIn({ ...place, env: { DATABASE_URL: postgres.url, REDIS_URL: redis.url } });
  await run.printed("Try it:");
  expect(await look(place)).toMatchObject({ starts: 1, calls: 1 });
  expect(run.output()).not.toMatch(/PostgreSQL|Redis/);
  expect(existsSync(join(place.dataDir, "postgres"))).toBe(false);
  await run.end("SIGINT");
}, 20_000);

test("PostgreSQL and Redis want their passwords", async () => {
  await askPostgres(postgres.url);
  await askRedis(redis.url);
  await expect(askPostgres(postgres.url.replace(/kept:[^@]+@/, "kept:guess@"))).rejects.toThrow("password");
  await expect(askRedis(redis.url.replace(/:[^:@]+@/, ":guess@"))).rejects.toThrow("WRONGPASS");
});

async function askPostgres(url: string): Promise<void> {
  const sql = new SQL(url, { max: 1 });
  await sql`select 1`.finally(() => sql.close());
}

async function askRedis(url: string): Promise<void> {
  const client = new RedisClient(url, { autoReconnect: false });
  await client.ping().finally(() => client.close());
}
