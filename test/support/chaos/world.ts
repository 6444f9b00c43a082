import { afterAll } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { startPostgres } from "../../../shared/embedded/servers/postgres.ts";
import { startRedis } from "../../../shared/embedded/servers/redis.ts";
import { roleUrlsOf } from "../../../shared/process/database-roles.ts";
import { migrate } from "../../../workers/upkeep/migrate.ts";
import { type Answer, callRest } from "../../harness.ts";
import { eventually } from "../reminder/stack.ts";
import { serverPids } from "../servers/clocked-postgres.ts";
import { type Gate, openGate } from "./gate.ts";
import { databasesOf, pidsOf, startRoles } from "./roles.ts";

export type Victim = "api" | "workers" | "redis" | "postgres";

export type World = Readonly<{
  /** A connection to the private PostgreSQL that passes no gate. */
  sql: SQL;
  databaseUrl: string;
  baseUrls: readonly string[];
  /** The token of all calls. */
  token: string;
  redisUrl: string;
  gates: Readonly<{ redis: Gate; postgres: Gate }>;
  call: Call;
  /** Kills every process of that kind with -9; its supervisor starts it again. */
  kill(victim: Victim): Promise<void>;
  /** Stops a server's processes while `work` runs. */
  frozen(victim: "redis" | "postgres", work: () => Promise<void>): Promise<void>;
}>;

export type Call = (
  method: string,
  path: string,
  options?: { door?: number; body?: unknown; key?: string },
) => Promise<Answer>;

/** Starts two front doors and two workers on servers of their own, all real processes that may be killed. */
export async function startWorld(name: string, env: Record<string, string> = {}): Promise<World> {
  const folder = join(import.meta.dir, "../../..", `data-test-${name}-${process.pid}`);
  const [postgres, redis] = await Promise.all([startPostgres(folder), startRedis(folder)]);
  await migrate(postgres.url, "error", { roleUrls: roleUrlsOf(postgres.url) });
  const gates = { redis: await openGate(redis.url), postgres: await openGate(postgres.url) };
  const roles = await startRoles({
    databases: databasesOf(gates.postgres.url),
    env: {
      DATABASE_URL: gates.postgres.url,
      REDIS_URL: gates.redis.url,
      RATE_LIMIT_PER_MINUTE: "0",
      LOG_LEVEL: "silent",
      ...env,
    },
    apis: 2,
    workers: 2,
  });
  const sql = new SQL(postgres.url, { max: 2 });
  afterAll(async () => {
    await sql.close();
    await roles.stop();
    for (const gate of Object.values(gates)) gate.shut();
    await Promise.all([postgres.stop(), redis.stop()]);
    rmSync(folder, { recursive: true });
  });
  /** A server that is just coming back has no pid yet. */
  const pidsOfServer = (victim: "redis" | "postgres") =>
    eventually(() => {
      const pids = serverPids(victim, folder);
      return pids.length > 0 && pids;
    });
  const token = await roles.issuer.token();
  return {
    sql,
    databaseUrl: postgres.url,
    baseUrls: roles.baseUrls,
    token,
    redisUrl: redis.url,
    gates,
    call: callDoors(roles.baseUrls, token),
    async kill(victim) {
      const isRole = victim === "api" || victim === "workers";
      const pids = isRole ? pidsOf(victim) : (await pidsOfServer(victim)).slice(0, 1);
      for (const pid of pids) process.kill(pid, "SIGKILL");
    },
    async frozen(victim, work) {
      const pids = await pidsOfServer(victim);
      for (const pid of pids) process.kill(pid, "SIGSTOP");
      try {
        await work();
      } finally {
        for (const pid of pids) process.kill(pid, "SIGCONT");
      }
    },
  };
}

/** Calls front doors with one token of all scopes; any door number is mapped to an existing door. */
export function callDoors(baseUrls: readonly string[], token: string): Call {
  return (method, path, { door = 0, body, key } = {}) =>
    callRest({ baseUrl: baseUrls[door % baseUrls.length] ?? "" }, method, path, {
      token,
      ...(body !== undefined && { body }),
      ...(key !== undefined && { headers: { "idempotency-key": key } }),
    });
}

/** Measures the milliseconds of a promise, and passes on its result. */
export async function timed<T>(work: Promise<T>): Promise<{ result: T; ms: number }> {
  const start = performance.now();
  const result = await work;
  return { result, ms: performance.now() - start };
}
