import { rmSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { startRedis } from "../../../../shared/embedded/servers/redis.ts";
import { migrate } from "../../../../workers/upkeep/migrate.ts";
import { type Gate, openGate } from "../../../support/chaos/gate.ts";
import { type Part, parts, type Way, ways } from "../schedule.ts";
import { type Clocks, createClocks } from "./clock.ts";
import { freePorts, pidsOf, startPostgres, startRole } from "./processes.ts";
import { issueTokens } from "./tokens.ts";

export type World = Readonly<{
  /** A connection to PostgreSQL that passes no gate. */
  sql: SQL;
  /** The addresses of PostgreSQL and Redis that pass no gate. */
  databaseUrl: string;
  redisUrl: string;
  /** The front doors as clients see them. */
  doors: readonly string[];
  gates: Readonly<Record<Way, Gate>>;
  clocks: Clocks;
  pidsOf(part: Part): number[];
  /** Bearer tokens, several for each user. */
  tokens(users: number, each: number): Promise<string[][]>;
  stop(): Promise<void>;
}>;

/** Starts two front doors, two workers and an identity provider on servers of their own, with a gate before each server. */
export async function startWorld(): Promise<World> {
  const folder = join(import.meta.dir, "../../../..", `data-test-chaos-${process.pid}`);
  const clocks = createClocks();
  const [postgres, redis] = await Promise.all([
    startPostgres(folder, clocks.environment("postgres")),
    startRedis(folder),
  ]);
  await migrate(postgres.url, "error");
  const ports = await freePorts(3);
  const address = (index: number) => `http://127.0.0.1:${ports[index]}`;
  const gates = Object.fromEntries(
    await Promise.all(ways.map(async (way) => [way, await openGate(behind(way))] as const)),
  ) as Record<Way, Gate>;

  function behind(way: Way): string {
    if (way === "doors to identity") return address(2);
    if (way.startsWith("clients")) return address(way.endsWith("0") ? 0 : 1);
    return way.endsWith("redis") ? redis.url : postgres.url;
  }

  const doors = [gates["clients to door-0"], gates["clients to door-1"]].map(
    ({ url }) => new URL(url).origin,
  );
  const identityUrl = new URL(gates["doors to identity"].url).origin;
  const common = {
    HOST: "127.0.0.1",
    BASE_URL: doors[0],
    DATA_DIR: folder,
    AUTH_URL: identityUrl,
    AUTH_CLIENT_ID: "kept",
    AUTH_CLIENT_SECRET: crypto.randomUUID(),
    RATE_LIMIT_PER_MINUTE: "0",
    MCP_RATE_LIMIT_PER_MINUTE: "0",
    DEFAULT_TIME_ZONE: zoneOfNoon(),
    LOG_LEVEL: "silent",
  };
  const through = (part: Exclude<Part, "redis" | "postgres" | "identity">) => ({
    ...common,
    ...clocks.environment(part),
    DATABASE_URL: gates[`${part} to postgres`].url,
    REDIS_URL: gates[`${part} to redis`].url,
  });
  const direct = { ...common, DATABASE_URL: postgres.url, REDIS_URL: redis.url };
  const roles = await Promise.all([
    startRole("door-0", "api/main.ts", { ...through("door-0"), PORT: String(ports[0]) }),
    startRole("door-1", "api/main.ts", { ...through("door-1"), PORT: String(ports[1]) }),
    startRole("worker-0", "workers/main.ts", through("worker-0")),
    startRole("worker-1", "workers/main.ts", through("worker-1")),
    startRole("identity", "api/identity/main.ts", {
      ...direct,
      ...clocks.environment("identity"),
      IDENTITY_PORT: String(ports[2]),
    }),
  ]);
  const sql = new SQL(postgres.url, { max: 4 });
  return {
    sql,
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    doors,
    gates,
    clocks,
    pidsOf: (part) => pidsOf(part, folder),
    tokens: (users, each) => issueTokens(identityUrl, users, each),
    async stop() {
      await sql.close();
      for (const role of roles) await role.stop();
      for (const gate of Object.values(gates)) gate.shut();
      await Promise.all([postgres.stop(), redis.stop()]);
      rmSync(folder, { recursive: true });
      clocks.remove();
    },
  };
}

/** Lets every process run, with the right time and open connections. Killed processes come back by themselves. */
export function heal({ gates, clocks, pidsOf }: World): void {
  for (const part of parts) {
    clocks.set(part, 0);
    for (const pid of pidsOf(part)) signal(pid, "SIGCONT");
  }
  for (const gate of Object.values(gates)) {
    gate.delay(0);
    gate.cut();
  }
}

/** Signals a process that may be gone already. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended.
  }
}

/** A zone where it is about noon, so that no day ends during the run, even with wrong clocks. */
function zoneOfNoon(): string {
  const hours = new Date().getUTCHours() - 12;
  return hours === 0 ? "UTC" : `Etc/GMT${hours > 0 ? "+" : ""}${hours}`;
}
