import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fetchDebianPackage } from "./debian.ts";

/** A Redis server program with the environment it runs in. */
export type RedisBinary = { path: string; env: Record<string, string | undefined> };

/** BullMQ's scripts need the commands of this version. */
const OLDEST = [6, 2] as const;
const NAMES = ["valkey-server", "redis-server"] as const;

/**
 * Finds valkey-server or redis-server on PATH, else in `runtimeDir`, where it is fetched from the system's
 * packages once: without root, without installing them and without starting their service.
 * @throws with what to do when neither works.
 */
export async function redisBinary(runtimeDir: string, report: (line: string) => void): Promise<RedisBinary> {
  const found = onPath() ?? unpacked(join(runtimeDir, "redis"));
  if (found) return found;
  report("there is no Redis here: fetching it from the system's packages");
  if (Bun.which("apt-get")) await fetchFromDebian(runtimeDir);
  else if (Bun.which("brew")) await Bun.spawn(["brew", "install", "--quiet", "valkey"]).exited;
  const fetched = onPath() ?? unpacked(join(runtimeDir, "redis"));
  if (!fetched)
    throw new Error(
      "Kept needs Redis or Valkey 6.2 or newer and could not fetch it. Install valkey-server or redis-server, or set REDIS_URL.",
    );
  return fetched;
}

function onPath(): RedisBinary | undefined {
  return NAMES.map((name) => Bun.which(name))
    .filter((path) => path !== null)
    .map((path) => ({ path, env: process.env }))
    .find(runs);
}

function unpacked(root: string): RedisBinary | undefined {
  if (!existsSync(root)) return undefined;
  const libraries = readdirSync(join(root, "usr/lib"))
    .filter((name) => name.includes("-linux-"))
    .map((name) => join(root, "usr/lib", name));
  const env = { ...process.env, LD_LIBRARY_PATH: libraries.join(":") };
  return NAMES.map((name) => ({ path: join(root, "usr/bin", name), env }))
    .filter(({ path }) => existsSync(path))
    .find(runs);
}

function runs({ path, env }: RedisBinary): boolean {
  const { stdout } = Bun.spawnSync([path, "--version"], { env });
  const [, major, minor] = /v=(\d+)\.(\d+)/.exec(stdout.toString()) ?? [];
  return Number(major) > OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) >= OLDEST[1]);
}

async function fetchFromDebian(runtimeDir: string): Promise<void> {
  const draft = join(runtimeDir, `redis.${process.pid}`);
  mkdirSync(draft, { recursive: true });
  try {
    await fetchDebianPackage(["redis-server", "valkey-server"], draft);
    rmSync(join(runtimeDir, "redis"), { recursive: true, force: true });
    renameSync(join(draft, "root"), join(runtimeDir, "redis"));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
