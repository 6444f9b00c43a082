import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { SQL } from "bun";
import { saysAnything } from "../signs-of-life.ts";
import { archiveCommand } from "./archive.ts";
import type { GuardedCommand } from "./guard.ts";
import { endOrphan } from "./orphan.ts";
import { onFreePort } from "./port.ts";
import { postgresBinaries } from "./postgres-binaries.ts";
import { type Cluster, createCluster, seenBy, serviceUser } from "./postgres-cluster.ts";
import { launchServer } from "./server.ts";
import { type Life, supervise } from "./supervisor.ts";

/** Settings of PostgreSQL's server by name. */
export type ServerSettings = Readonly<Record<string, string | number>>;

type Options = Readonly<{
  /** Override `serverSettings`. */
  settings?: ServerSettings;
  /** Kills a server that no longer takes connections, so that the supervisor starts it again. */
  endsHanging?: boolean;
}>;

/** A client's first words (SSLRequest). The server answers them before it looks at its data, however slow the disk is. */
const greeting = Uint8Array.of(0, 0, 0, 8, 4, 210, 22, 47);

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
    const launchHere = () => launch(cluster, { ...settings, port }, isAlive);
    const { stop } = await supervise({ name: "postgres", launch: launchHere, report });
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

async function launch(
  cluster: Cluster,
  settings: ServerSettings & { port: number },
  isAlive: (() => Promise<boolean>) | undefined,
): Promise<Life<void>> {
  await endOrphan(join(cluster.folder, "postmaster.pid"), cluster.folder, "SIGINT");
  const answers = () => prepare(urlOf(cluster, settings.port, "postgres"));
  return launchServer("PostgreSQL", serverCommand(cluster, settings), answers, { isAlive });
}

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

/** The address of a database of a cluster that listens on this port. */
export function urlOf({ password }: Pick<Cluster, "password">, port: number, database: string): string {
  return `postgres://kept:${password}@127.0.0.1:${port}/${database}`;
}

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
