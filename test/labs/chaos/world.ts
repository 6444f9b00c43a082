import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { freePort } from "../../../shared/embedded/servers/port.ts";
import { startRedis } from "../../../shared/embedded/servers/redis.ts";
import { migrate } from "../../../workers/upkeep/migrate.ts";
import { descendants } from "../../support/chaos/descendants.ts";
import { type Gate, openGate } from "../../support/chaos/gate.ts";
import { type RoleName, startRole } from "../../support/chaos/roles.ts";
import { signedUp, tokenByForm } from "../../support/identity/support.ts";
import { createClocks, serverPids, startClockedPostgres } from "../../support/servers/clocked-postgres.ts";
import { signal } from "../../support/servers/signal.ts";
import { type Part, parts, type Way, ways } from "./faults.ts";

export type World = Awaited<ReturnType<typeof startWorld>>;

const root = join(import.meta.dir, "../../..");
/** This mark identifies the processes of the parts. */
const mark = "CHAOS_PART";

/** Starts two front doors and two workers on servers of their own, with a gate before each server. */
export async function startWorld() {
  const folder = join(root, `data-test-chaos-${process.pid}`);
  const clocks = createClocks();
  const [postgres, redis] = await Promise.all([
    startClockedPostgres(folder, clocks.environment("postgres")),
    startRedis(folder),
  ]);
  await migrate(postgres.url, "error");
  const ports = [await freePort(), await freePort()];
  const address = (index: number) => `http://127.0.0.1:${ports[index]}`;
  const behind = (way: Way): string => {
    if (way.startsWith("clients")) return address(way.endsWith("0") ? 0 : 1);
    return way.endsWith("redis") ? redis.url : postgres.url;
  };
  const opened = await Promise.all(ways.map(async (way) => [way, await openGate(behind(way))] as const));
  const gates = Object.fromEntries(opened) as Record<Way, Gate>;
  const doors = [gates["clients to door-0"], gates["clients to door-1"]].map(
    ({ url }) => new URL(url).origin,
  );
  const common = {
    ...process.env,
    HOST: "127.0.0.1",
    BASE_URL: doors[0],
    DATA_DIR: folder,
    AUTH_URL: "",
    RATE_LIMIT_PER_MINUTE: "0",
    MCP_RATE_LIMIT_PER_MINUTE: "0",
    DEFAULT_TIME_ZONE: zoneOfNoon(),
    LOG_LEVEL: "silent",
  };
  const start = (name: RoleName, part: Part, own: Record<string, string>) => {
    const env = { ...common, ...clocks.environment(part), ...own, [mark]: part };
    return startRole(name, { root, env, report() {} });
  };
  const through = (part: "door-0" | "door-1" | "worker-0" | "worker-1") => ({
    DATABASE_URL: gates[`${part} to postgres`].url,
    REDIS_URL: gates[`${part} to redis`].url,
  });
  const roles = await Promise.all([
    start("api", "door-0", { ...through("door-0"), PORT: String(ports[0]) }),
    start("api", "door-1", { ...through("door-1"), PORT: String(ports[1]) }),
    start("workers", "worker-0", through("worker-0")),
    start("workers", "worker-1", through("worker-1")),
  ]);
  const sql = new SQL(postgres.url, { max: 4 });
  return {
    /** A connection to PostgreSQL that passes no gate, as the addresses; front doors as clients see them. */
    ...{ sql, doors, gates, clocks, databaseUrl: postgres.url, redisUrl: redis.url },
    /** The processes that do a part's work at this moment; none while it is starting. */
    pidsOf: (part: Part): number[] =>
      part === "postgres" || part === "redis" ? serverPids(part, folder) : rolePids(part),
    /** Bearer tokens of a new user, made on the pages. */
    async tokens(count: number): Promise<string[]> {
      const browser = await signedUp({ authUrl: doors[0] ?? "" });
      const tokens: string[] = [];
      while (tokens.length < count) tokens.push(await tokenByForm(browser, `Client ${tokens.length}`));
      return tokens;
    },
    async stop(): Promise<void> {
      await sql.close();
      for (const role of roles) await role.stop();
      for (const gate of Object.values(gates)) gate.shut();
      await Promise.all([postgres.stop(), redis.stop()]);
      rmSync(folder, { recursive: true });
      clocks.remove();
    },
  };
}

const rolePids = (part: Part): number[] =>
  descendants().flatMap(({ pid }) => (environmentOf(pid).includes(`${mark}=${part}`) ? [pid] : []));

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return []; // The process ended meanwhile.
  }
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

/** A zone where it is about noon, so that no day ends during the run, even with wrong clocks. */
function zoneOfNoon(): string {
  const hours = new Date().getUTCHours() - 12;
  return hours === 0 ? "UTC" : `Etc/GMT${hours > 0 ? "+" : ""}${hours}`;
}
