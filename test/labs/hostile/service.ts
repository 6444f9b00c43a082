import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { runningDatabase } from "../../../shared/process/running-database.ts";
import {
  type environmentOf,
  processesOf,
  shareRuntime,
  startCommand,
} from "../../service/embedded/instance.ts";
import { freePorts } from "../chaos/world/processes.ts";

/** The service as `npm start` runs it, with every limit at its default. */
export type Service = Readonly<{
  baseUrl: string;
  authUrl: string;
  /** Resident memory (bytes) by role. */
  memory(): Record<string, number>;
  stored(): Promise<Stored>;
  stop(): Promise<void>;
}>;

/** Bytes that PostgreSQL keeps for the database, and that the ledger has of all accounts. */
export type Stored = Readonly<{ database: number; ledger: number }>;

const root = join(import.meta.dir, "../../..");

export async function startService(): Promise<Service> {
  const parent = mkdtempSync(join(tmpdir(), "kept-hostile-"));
  shareRuntime(parent);
  const [port = 0, identityPort = 0] = await freePorts(2);
  const env = { IDENTITY_PORT: String(identityPort), LOG_LEVEL: "warn" };
  const instance = { dataDir: join(parent, "data"), port, env };
  const bun = join(root, "node_modules/.bin/bun");
  const run = startCommand(instance, [bun, join(root, "shared/embedded/main.ts")], { cwd: root });
  await run.printed("Ready in");
  const sql = new SQL(await runningDatabase({ databaseUrl: undefined, dataDir: instance.dataDir }), {
    max: 2,
  });
  return {
    baseUrl: `http://localhost:${port}`,
    authUrl: `http://localhost:${identityPort}`,
    memory: () => memoryByRole(instance),
    stored: () => readStored(sql),
    async stop() {
      await sql.close();
      await run.end("SIGTERM");
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

async function readStored(sql: SQL): Promise<Stored> {
  const [stored] = await sql`
    select pg_database_size(current_database())::float8 as database,
      (select coalesce(sum(bytes), 0) from byte_ledger)::float8 as ledger`;
  return stored;
}

const scripts = { api: "api/main.ts", workers: "workers/main.ts", identity: "api/identity/main.ts" };

function memoryByRole(instance: Parameters<typeof environmentOf>[0]): Record<string, number> {
  const found = [...processesOf(instance)];
  return Object.fromEntries(
    Object.entries(scripts).map(([role, script]) => {
      const pids = found.filter(([, command]) => command.endsWith(script)).map(([pid]) => pid);
      return [role, Math.max(0, ...pids.map(residentBytes))];
    }),
  );
}

function residentBytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0; // The process ended meanwhile.
  }
}
