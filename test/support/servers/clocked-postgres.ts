import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Glob, type SQL } from "bun";
import { startPostgres } from "../../../shared/embedded/servers/postgres.ts";
import { descendants } from "../chaos/descendants.ts";
import { temporaryFolder } from "../folder.ts";

/** libfaketime, Debian's package `faketime`: the only way to set one process' clock wrong on a shared machine. */
const library = [...new Glob("/usr/lib/*/faketime/libfaketime.so.1").scanSync("/")][0];

/** True if clocks can be set wrong here. */
export const hasClocks = library !== undefined;

/** The clocks of processes. Each can be set wrong while its process runs. */
export function createClocks() {
  const folder = temporaryFolder("clocks");
  // PostgreSQL runs as a user of its own.
  chmodSync(folder, 0o755);
  const fileOf = (name: string) => join(folder, name);
  const set = (name: string, seconds: number) =>
    writeFileSync(fileOf(name), `${seconds < 0 ? "" : "+"}${seconds}\n`, { mode: 0o644 });
  return {
    set,
    /** The environment with which the process of that name must be started. */
    environment(name: string): Record<string, string> {
      if (library === undefined) return {};
      set(name, 0);
      return {
        LD_PRELOAD: library,
        FAKETIME_TIMESTAMP_FILE: fileOf(name),
        // The file is looked at once a second.
        FAKETIME_CACHE_DURATION: "1",
        // Timers go on correctly; only the time of day becomes wrong.
        FAKETIME_DONT_FAKE_MONOTONIC: "1",
        FAKETIME_DISABLE_SHM: "1",
      };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** PostgreSQL and its supervisor in a process of their own, so that they can have a clock of their own. */
export async function startClockedPostgres(
  folder: string,
  env: Record<string, string>,
): Promise<{ url: string; stop(): Promise<void> }> {
  const ready = Promise.withResolvers<string>();
  const child = Bun.spawn([process.execPath, import.meta.path, folder], {
    env: { ...process.env, ...env },
    detached: true,
    stdio: ["ignore", "inherit", "inherit"],
    ipc: (url: string) => ready.resolve(url),
  });
  child.exited.then(() => ready.reject(new Error("PostgreSQL did not start.")));
  return {
    url: await ready.promise,
    async stop() {
      child.send("stop");
      await child.exited;
    },
  };
}

if (import.meta.main) {
  const server = await startPostgres(process.argv[2] ?? "");
  process.on("message", async () => {
    await server.stop();
    process.exit();
  });
  process.on("disconnect", () => process.exit());
  process.send?.(server.url);
}

/** @throws unless PostgreSQL's clock is so wrong within 3 s. A server that is just coming back is not asked. */
export async function demandStep(sql: SQL, seconds: number): Promise<void> {
  for (let looks = 1; ; looks++) {
    const rows = await sql`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`.catch(() => []);
    const offMs = rows.length > 0 ? rows[0].ms - Date.now() : seconds * 1_000;
    if (Math.abs(offMs - seconds * 1_000) < 1_000) return;
    if (looks === 30)
      throw new Error(`PostgreSQL's clock was to be ${seconds} s off, and is ${offMs / 1_000} s off.`);
    await Bun.sleep(100);
  }
}

const pidFiles = { redis: "redis/redis.pid", postgres: "postgres/postmaster.pid" };

/** The process of a server in `folder`, then those that it has forked; none while it is starting. */
export function serverPids(server: keyof typeof pidFiles, folder: string): number[] {
  const below = descendants();
  try {
    const pid = Number.parseInt(readFileSync(join(folder, pidFiles[server]), "utf8"), 10);
    if (!below.some((one) => one.pid === pid)) return [];
    return [pid, ...below.flatMap((one) => (one.parent === pid ? [one.pid] : []))];
  } catch {
    return [];
  }
}
