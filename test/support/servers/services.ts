import { rmSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { type ServerSettings, startPostgres } from "../../../shared/embedded/servers/postgres.ts";
import { startRedis } from "../../../shared/embedded/servers/redis.ts";
import { roleUrlsOf } from "../../../shared/process/database-roles.ts";
import { migrate } from "../../../workers/upkeep/migrate.ts";
import { createPooledDatabase } from "./pgbouncer.ts";

export type Services = Readonly<{ databaseUrl: string; redisUrl: string }>;

/** True if stacks run behind PgBouncer (npm run lab -- pooler). */
export const isPooled = Bun.env.TEST_POOLER === "yes";

const template = "kept_template";
const shared = globalThis as { keptTestServices?: Promise<Services> };

/**
 * One real Postgres and one real Redis for the whole run: those that `npm test` started. A file run by itself
 * starts its own, which end with this process.
 */
export function services(): Promise<Services> {
  const { TEST_DATABASE_URL: databaseUrl, TEST_REDIS_URL: redisUrl } = Bun.env;
  if (databaseUrl && redisUrl) return Promise.resolve({ databaseUrl, redisUrl });
  shared.keptTestServices ??= startServices(throwaway);
  return shared.keptTestServices;
}

/**
 * Settings of a server whose data need not survive a power cut, and which serves three test files at once. Labs and
 * tests of that start servers of their own.
 */
export const throwaway: ServerSettings = {
  fsync: "off",
  full_page_writes: "off",
  archive_mode: "off",
  // Each file has its database, and none lives long enough to be vacuumed.
  autovacuum: "off",
  max_connections: "400",
};

/** Starts both servers in a folder beside the default DATA_DIR, so that fetched binaries are shared with it. */
export async function startServices(
  settings: ServerSettings = {},
): Promise<Services & { stop(): Promise<void> }> {
  const folder = join(import.meta.dir, "../../..", `data-test-${process.pid}`);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.on("exit", remove);
  const [postgres, redis] = await Promise.all([
    startPostgres(folder, undefined, { settings }),
    startRedis(folder),
  ]);
  await execute(postgres.url, `create database ${template}`);
  await migrate(named(postgres.url, template), "error", { roleUrls: roleUrlsOf(postgres.url) });
  return {
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    async stop() {
      await Promise.all([postgres.stop(), redis.stop()]);
    },
  };
}

/** A database of its own for one test file, made from the migrated template. */
export async function createDatabase(): Promise<string> {
  const { databaseUrl } = await services();
  if (isPooled) return named(databaseUrl, await createPooledDatabase(databaseUrl));
  const name = `kept_${crypto.randomUUID().replaceAll("-", "")}`;
  // A copy of the files takes 50 ms here, and a copy through the WAL 300.
  await execute(databaseUrl, `create database ${name} template ${template} strategy file_copy`);
  // A template's rights on the database itself are not copied.
  await execute(databaseUrl, `revoke temporary on database ${name} from public`);
  return named(databaseUrl, name);
}

/** Connections that are still open to a test's database: a leaked pool, worker or front door. */
export async function openConnections(url: string): Promise<number> {
  const { databaseUrl } = await services();
  const name = new URL(url).pathname.slice(1);
  const sql = `select count(*)::int as count from pg_stat_activity where datname = '${name}'`;
  // A Postgres backend ends a moment after its connection.
  for (let looks = 1; ; looks++) {
    const [row] = await execute(databaseUrl, sql);
    if (!row?.count || looks === 100) return row?.count ?? 0;
    await Bun.sleep(100);
  }
}

function named(url: string, database: string): string {
  const address = new URL(url);
  address.pathname = `/${database}`;
  return address.href;
}

async function execute(url: string, text: string): Promise<{ count: number }[]> {
  const sql = new SQL(url, { max: 1 });
  try {
    return await sql.unsafe(text);
  } finally {
    await sql.close();
  }
}

// Below the range of source ports of connections, one of which could take the port first. Each process of a test run
// has 2,500 ports of its own, because a test may use its port seconds after it was found free.
const portsOfProcess = 2_500;
const lowestPort = 10_000 + portsOfProcess * (Number(Bun.env.BUN_TEST_WORKER_ID ?? 0) % 4);
let lastPort = Math.floor(Math.random() * portsOfProcess);

/** A port of 127.0.0.1 that nobody listens on now, and that this process gives once. */
export function freePort(): number {
  lastPort = (lastPort + 1) % portsOfProcess;
  const port = lowestPort + lastPort;
  try {
    void Bun.serve({ hostname: "127.0.0.1", port, fetch: () => new Response() }).stop(true);
    return port;
  } catch {
    return freePort();
  }
}
