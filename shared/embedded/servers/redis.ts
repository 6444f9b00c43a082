import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { RedisClient } from "bun";
import { bareEnvironment, type GuardedCommand, hasTrustedOwners } from "./guard.ts";
import { onFreePort } from "./port.ts";
import { persistentSecret } from "./postgres.ts";
import { endOrphan, launchServer, saysAnything } from "./server.ts";
import { supervise } from "./supervisor.ts";

/**
 * Starts a private Redis with its data in `dataDir`/redis and restarts it on the same port when it dies. It ends with
 * this process, even after kill -9. A fetched Redis is stored in `.runtime` beside `dataDir`.
 * @throws when none is available or it cannot start; its messages are in `dataDir`/redis.log.
 */
export async function startRedis(
  dataDir: string,
  report: (line: string) => void = () => {},
  { endsHanging = false }: Readonly<{ endsHanging?: boolean }> = {},
): Promise<{ url: string; stop(): Promise<void> }> {
  const data = resolve(dataDir);
  const folder = join(data, "redis");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { path, env } = await redisBinary(resolve(data, "../.runtime"), report);
  const password = persistentSecret(join(data, "redis.password"));
  return onFreePort(async (port) => {
    // The password is in a file, because every user of the machine can see a program's arguments.
    writeFileSync(join(folder, "redis.conf"), configuration(port, password), { mode: 0o600 });
    const url = `redis://:${password}@127.0.0.1:${port}`;
    const isAlive = endsHanging ? () => saysAnything(port, "PING\r\n") : undefined;
    const command: GuardedCommand = {
      command: [path, "redis.conf"],
      cwd: folder,
      env,
      logFile: join(data, "redis.log"),
      stopSignal: "TERM",
    };
    async function launch() {
      await endOrphan(join(folder, "redis.pid"), folder, "SIGTERM");
      return launchServer("Redis", command, () => pings(url), { isAlive });
    }
    const { stop } = await supervise({ name: "redis", launch, report });
    return { url, stop };
  });
}

/** Only the append-only file is on disk. A queue must not lose a job, hence noeviction. */
function configuration(port: number, password: string): string {
  return [
    "bind 127.0.0.1",
    `port ${port}`,
    `requirepass ${password}`,
    "appendonly yes",
    'save ""',
    "maxmemory-policy noeviction",
    "pidfile redis.pid",
    "",
  ].join("\n");
}

/** True if the server answers; it does not while it loads its data. */
async function pings(url: string): Promise<boolean> {
  const client = new RedisClient(url, { autoReconnect: false, connectionTimeout: 2_000 });
  try {
    return (await client.ping()) === "PONG";
  } catch {
    return false;
  } finally {
    client.close();
  }
}

type RedisBinary = Readonly<{ path: string; env: Record<string, string | undefined> }>;

/** The first version with all commands that BullMQ's scripts use. */
const versions = ">=6.2.0";
const programNames = ["valkey-server", "redis-server"] as const;
/** A fetched Redis is fetched again after this time, because nothing else updates it. */
const refreshMs = 30 * 86_400_000;

/**
 * Finds valkey-server or redis-server on PATH, else in `runtimeDir`. If it is missing there, it is unpacked from the
 * system's packages without root or installation, and renewed after a month.
 * @throws with advice when neither works, and when other users can write to `runtimeDir`.
 */
export async function redisBinary(runtimeDir: string, report: (line: string) => void): Promise<RedisBinary> {
  const installed = onPath();
  if (installed) return installed;
  const folder = join(runtimeDir, "redis");
  demandOurs(runtimeDir);
  const found = unpacked(folder);
  if (found && Date.now() - statSync(folder).mtimeMs > refreshMs) void refresh(runtimeDir, report);
  if (found) return found;
  report("there is no Redis here: fetching it from the system's packages");
  const complaint = await fetchRedis(runtimeDir).catch((error: Error) => error.message);
  const fetched = onPath() ?? unpacked(folder);
  if (!fetched)
    throw new Error(
      `Kept needs Redis or Valkey 6.2 or newer. Install valkey-server or redis-server, or set REDIS_URL. ${complaint}`,
    );
  return fetched;
}

function demandOurs(runtimeDir: string): void {
  if (existsSync(runtimeDir) && !hasTrustedOwners(runtimeDir))
    throw new Error(
      `Others can write to ${runtimeDir}, so nothing in it is run. Remove it, install valkey-server, or set REDIS_URL.`,
    );
}

async function refresh(runtimeDir: string, report: (line: string) => void): Promise<void> {
  if (!Bun.which("apt-get")) return;
  report("the Redis fetched here is a month old: fetching the present one for the next start");
  await fetchFromDebian(runtimeDir).catch((error: Error) => report(`no newer Redis: ${error.message}`));
}

/** @returns advice for the user if there is still no Redis after this */
async function fetchRedis(runtimeDir: string): Promise<string> {
  if (Bun.which("apt-get")) await fetchFromDebian(runtimeDir);
  else if (Bun.which("brew")) await Bun.$`brew install --quiet valkey`.quiet();
  else return installAdvice();
  return "What was fetched does not run here.";
}

/** Only Debian's packages can be unpacked without root, and only Homebrew installs without it. */
function installAdvice(): string {
  const known = installCommands.find((command) => Bun.which(command.replace(/ .*/, "")));
  return known
    ? `Here that is: sudo ${known} valkey`
    : "It cannot be fetched here, as there is neither apt-get nor brew.";
}

const installCommands = ["dnf install", "pacman -S", "apk add", "zypper install"];

function onPath(): RedisBinary | undefined {
  return programNames
    .map((name) => Bun.which(name))
    .filter((path) => path !== null)
    .map((path) => ({ path, env: bareEnvironment() }))
    .find(runs);
}

function unpacked(root: string): RedisBinary | undefined {
  if (!existsSync(root)) return undefined;
  demandOurs(root);
  const libraries = readdirSync(join(root, "usr/lib"))
    .filter((name) => name.includes("-linux-"))
    .map((name) => join(root, "usr/lib", name));
  libraries.forEach(demandOurs);
  const env = { ...bareEnvironment(), LD_LIBRARY_PATH: libraries.join(":") };
  return programNames
    .map((name) => ({ path: join(root, "usr/bin", name), env }))
    .filter(({ path }) => existsSync(path) && hasTrustedOwners(path))
    .find(runs);
}

function runs({ path, env }: RedisBinary): boolean {
  const { stdout } = Bun.spawnSync([path, "--version"], { env });
  const [, version = ""] = /v=(\d+\.\d+\.\d+)/.exec(stdout.toString()) ?? [];
  return Bun.semver.satisfies(version, versions);
}

async function fetchFromDebian(runtimeDir: string): Promise<void> {
  mkdirSync(runtimeDir, { recursive: true, mode: 0o755 });
  removeAbandoned(runtimeDir);
  const folder = join(runtimeDir, "redis");
  const draft = join(runtimeDir, `redis.${process.pid}`);
  mkdirSync(draft);
  try {
    await fetchDebianPackage(["redis-server", "valkey-server"], draft);
    // The previous one is moved away, not removed, because a neighbour may be about to start it.
    if (existsSync(folder)) renameSync(folder, join(draft, "before"));
    renameSync(join(draft, "root"), folder);
    // Unpacking set the folder's time to that of the package.
    utimesSync(folder, new Date(), new Date());
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Removes the rest of killed fetches, but not the draft of a neighbour that is fetching now. */
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

/**
 * Unpacks the first available package of `choices`, and the dependencies that the system lacks, into `folder`/root.
 * Nothing is installed and no script of a package runs, so this needs no root.
 * @throws with apt's error message when none is available.
 */
async function fetchDebianPackage(choices: readonly string[], folder: string): Promise<void> {
  try {
    await fetchAny(choices, folder, []);
  } catch {
    // The system's package lists are missing (container images) or name versions that are gone.
    const options = privateLists(folder);
    // One unreachable source fails the whole update, but the package may come from another source.
    await apt(["update"], folder, options).catch(() => {});
    await fetchAny(choices, folder, options);
  }
}

function privateLists(folder: string): string[] {
  const [lists, cache] = [join(folder, "lists"), join(folder, "cache")];
  mkdirSync(join(lists, "partial"), { recursive: true });
  mkdirSync(join(cache, "archives/partial"), { recursive: true });
  return ["-o", `Dir::State::Lists=${lists}`, "-o", `Dir::Cache=${cache}`, "-o", "Debug::NoLocking=1"];
}

async function fetchAny(choices: readonly string[], folder: string, options: string[]): Promise<void> {
  const failures: unknown[] = [];
  for (const name of choices) {
    try {
      return await fetchPackage(name, folder, options);
    } catch (error) {
      failures.push(error);
    }
  }
  throw failures[0];
}

async function fetchPackage(name: string, folder: string, options: string[]): Promise<void> {
  const plan = await apt(["install", "--simulate", "--no-install-recommends", name], folder, options);
  // "Inst name (version …)" is new; "Inst name [installed] (version …)" would be an upgrade.
  const missing = [...plan.matchAll(/^Inst (\S+) \(/gm)].flatMap(([, found]) => found ?? []);
  await apt(["download", ...missing], folder, options);
  for (const file of readdirSync(folder).filter((file) => file.endsWith(".deb")))
    await run(["dpkg-deb", "--extract", file, "root"], folder);
}

function apt(command: string[], folder: string, options: string[]): Promise<string> {
  const patience = ["-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=20"];
  return run(["apt-get", ...patience, ...options, ...command], folder);
}

async function run(command: string[], cwd: string): Promise<string> {
  const env = { ...bareEnvironment(), LC_ALL: "C" };
  const child = Bun.spawn(command, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const [output, complaint] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`${command[0]} said: ${complaint.trim()}`);
  return output;
}
