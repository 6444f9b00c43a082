import { afterAll, expect, test } from "bun:test";
import { chownSync, existsSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { RedisClient, SQL } from "bun";
import { freePort } from "../../../shared/embedded/servers/port.ts";
import { serviceUser, startPostgres } from "../../../shared/embedded/servers/postgres.ts";
import { startRedis } from "../../../shared/embedded/servers/redis.ts";
import { look, newInstance, root, sharedParent, startIn, startReady } from "./instance.ts";

const parent = await sharedParent();
const elsewhere = join(parent, "elsewhere");
const [postgres, redis] = await Promise.all([startPostgres(elsewhere), startRedis(elsewhere)]);
afterAll(() => Promise.all([redis.stop(), postgres.stop()]));

test("with DATABASE_URL and REDIS_URL set, those are used and none is started", async () => {
  const instance = await newInstance(parent, { DATABASE_URL: postgres.url, REDIS_URL: redis.url });
  const run = await startReady(instance);
  expect(await look(instance)).toMatchObject({ starts: 1, calls: 1 });
  expect(run.output()).not.toMatch(/PostgreSQL|Redis/);
  expect(existsSync(join(instance.dataDir, "postgres"))).toBe(false);
  await run.end("SIGINT");
});

test("PostgreSQL and Redis want their passwords", async () => {
  await askPostgres(postgres.url);
  await askRedis(redis.url);
  await expect(askPostgres(postgres.url.replace(/kept:[^@]+@/, "kept:guess@"))).rejects.toThrow("password");
  await expect(askRedis(redis.url.replace(/:[^:@]+@/, ":guess@"))).rejects.toThrow("WRONGPASS");
});

test("servers that cannot be used are told in one sentence, and nothing is started or created", async () => {
  const said = async (env: Record<string, string>, script?: string) => {
    const run = startIn(await newInstance(parent, env), root, undefined, script);
    expect(await run.exited).toBe(1);
    return run.output();
  };
  const nowhere = postgres.url.replace(/:\d+\//, ":1/");
  const migrate = "shared/embedded/main.ts";
  expect(await said({ DATABASE_URL: postgres.url, REDIS_URL: "redis://127.0.0.1:1" })).toMatch(
    /Redis cannot be used \(connect ECONNREFUSED 127.0.0.1:1\)\. Look .+ REDIS_URL\.\n/,
  );
  const refused = await said({ DATABASE_URL: nowhere, REDIS_URL: redis.url }, migrate);
  expect(refused).toContain("PostgreSQL at 127.0.0.1:1/kept cannot be used (DATABASE_URL)");
  const misspelt = { DATABASE_URL: postgres.url.replace(/kept$/, "ketp"), REDIS_URL: redis.url };
  expect(await said(misspelt, migrate)).toContain('database "ketp" does not exist');
  expect(refused).not.toMatch(/at .+\.ts:\d+/);
});

test("a data folder that cannot be used is told with what to do", async () => {
  const said = async (dataDir: string) => {
    const run = startIn({ dataDir, port: await freePort() });
    expect(await run.exited).toBe(1);
    return run.output();
  };
  const file = join(parent, "file");
  await Bun.write(file, "");
  for (const dataDir of [file, join(file, "data")])
    expect(await said(dataDir)).toContain("There is a file in the place of a folder: move it away.");
  expect(await said("/proc/kept")).toContain("Make the folder above it, or correct DATA_DIR");
});

test.skipIf(process.getuid?.() !== 0)(
  "PostgreSQL's folder of root, or of another user, is told with what to do",
  () => {
    const folder = mkdtempSync(join(parent, "postgres-"));
    expect(() => serviceUser(folder)).toThrow(`${folder} belongs to root, as whom PostgreSQL may not run.`);
    chownSync(folder, 12_345, 12_345);
    expect(serviceUser(folder)).toEqual({ uid: 12_345, gid: 12_345 });
  },
);

async function askPostgres(url: string): Promise<void> {
  const sql = new SQL(url, { max: 1 });
  await sql`select 1`.finally(() => sql.close());
}

async function askRedis(url: string): Promise<void> {
  const client = new RedisClient(url, { autoReconnect: false });
  await client.ping().finally(() => client.close());
}
