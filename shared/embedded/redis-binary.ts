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
  const complaint = await fetchRedis(runtimeDir).catch((error: Error) => error.message);
  const fetched = onPath() ?? unpacked(join(runtimeDir, "redis"));
  if (!fetched)
    throw new Error(
      `Kept needs Redis or Valkey 6.2 or newer. Install valkey-server or redis-server, or set REDIS_URL. ${complaint}`,
    );
  return fetched;
}

/** @returns what to tell the user if it did not help. */
async function fetchRedis(runtimeDir: string): Promise<string> {
  if (Bun.which("apt-get")) await fetchFromDebian(runtimeDir);
  else if (Bun.which("brew")) await Bun.$`brew install --quiet valkey`.quiet();
  else return "There is neither apt-get nor brew here to fetch it with.";
  return "What was fetched does not run here.";
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
  mkdirSync(runtimeDir, { recursive: true });
  removeAbandoned(runtimeDir);
  const place = join(runtimeDir, "redis");
  const draft = join(runtimeDir, `redis.${process.pid}`);
  mkdirSync(draft);
  try {
    await fetchDebianPackage(["redis-server", "valkey-server"], draft);
    rmSync(place, { recursive: true, force: true });
    renameSync(join(draft, "root"), place);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** What a fetch that was killed left behind. A neighbour may be fetching into the same folder right now. */
function removeAbandoned(runtimeDir: string): void {
  for (const name of readdirSync(runtimeDir)) {
    const pid = /^redis\.(\d+)$/.exec(name)?.[1];
    if (pid && !isAlive(Number(pid))) rmSync(join(runtimeDir, name), { recursive: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
