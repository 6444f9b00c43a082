import { afterAll } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { startPostgres } from "../../../shared/embedded/servers/postgres.ts";
import { startRedis } from "../../../shared/embedded/servers/redis.ts";
import { loadConfig } from "../../../shared/process/config.ts";
import { roleUrlsOf } from "../../../shared/process/database-roles.ts";
import { migrate } from "../../../workers/upkeep/migrate.ts";
import { type Answer, callOnce } from "../../harness.ts";
import { openPageDoor } from "../page-door.ts";
import { eventually } from "../reminder/stack.ts";
import { serverPids } from "../servers/clocked-postgres.ts";
import { signal } from "../servers/signal.ts";
import { openGate } from "./gate.ts";
import { databasesOf, pidsOf, startRoles } from "./roles.ts";

export type Victim = "api" | "workers" | "redis" | "postgres";

export type Page = Awaited<ReturnType<typeof openPageDoor>>;

export type Call = (
  method: string,
  path: string,
  options?: { door?: number; body?: unknown; key?: string },
) => Promise<Answer>;

/** Starts two front doors and two workers on servers of their own, all real processes that may be killed. */
export async function startWorld(name: string, env: Record<string, string> = {}) {
  const folder = join(import.meta.dir, "../../..", `data-test-${name}-${process.pid}`);
  const [postgres, redis] = await Promise.all([startPostgres(folder), startRedis(folder)]);
  await migrate(postgres.url, "error", { roleUrls: roleUrlsOf(postgres.url) });
  const gates = { redis: await openGate(redis.url), postgres: await openGate(postgres.url) };
  const roles = await startRoles({
    databases: databasesOf(gates.postgres.url),
    env: { DATABASE_URL: gates.postgres.url, REDIS_URL: gates.redis.url, ...env },
    apis: 2,
    workers: 2,
  });
  const sql = new SQL(postgres.url, { max: 2 });
  const closing: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const close of closing) await close();
    await sql.close();
    await roles.stop();
    for (const gate of Object.values(gates)) gate.shut();
    await Promise.all([postgres.stop(), redis.stop()]);
    rmSync(folder, { recursive: true });
  });
  /** The server first. One that is just coming back has no process yet. */
  const pidsOfServer = (victim: "redis" | "postgres") =>
    eventually(() => {
      const pids = serverPids(victim, folder);
      return pids.length > 0 && pids;
    });
  const signalRole = async (role: "api" | "workers", name: NodeJS.Signals) => {
    for (const pid of await eventually(() => pidsOf(role).length > 0 && pidsOf(role))) signal(pid, name);
  };
  const callAs = async (sub?: string) =>
    callDoors(roles.baseUrls, await roles.issuer.token(sub ? { sub } : {}));
  return {
    /** A connection to the private PostgreSQL that passes no gate, and the addresses of the servers. */
    ...{ sql, databaseUrl: postgres.url, redisUrl: redis.url },
    ...{ roles, baseUrls: roles.baseUrls, gates, callAs, call: await callAs() },
    /** Sends as the account pages do, past the gates. */
    async openPage(): Promise<Page> {
      const urls = { DATABASE_URL: postgres.url, REDIS_URL: redis.url, BASE_URL: roles.baseUrls[0] };
      const config = loadConfig({ ...env, ...urls, AUTH_URL: roles.issuer.url });
      const page = await openPageDoor({ config, clock: { now: undefined } });
      closing.push(page.close);
      return page;
    },
    /** Kills every process of that kind with -9; its supervisor starts it again. */
    async kill(victim: Victim): Promise<void> {
      if (victim === "api" || victim === "workers") return signalRole(victim, "SIGKILL");
      const [server] = await pidsOfServer(victim);
      if (server !== undefined) signal(server, "SIGKILL");
    },
    /** Sends a signal to every process of that role, once there is one. */
    signal: signalRole,
    /** Stops a server's processes while `work` runs. */
    async frozen(victim: "redis" | "postgres", work: () => Promise<void>): Promise<void> {
      const pids = await pidsOfServer(victim);
      for (const pid of pids) signal(pid, "SIGSTOP");
      try {
        await work();
      } finally {
        for (const pid of pids) signal(pid, "SIGCONT");
      }
    },
  };
}

/** Calls front doors with one token of all scopes; any door number is mapped to an existing door. */
export function callDoors(baseUrls: readonly string[], token: string): Call {
  return (method, path, { door = 0, body, key } = {}) =>
    callOnce({ baseUrl: baseUrls[door % baseUrls.length] ?? "" }, method, path, {
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
