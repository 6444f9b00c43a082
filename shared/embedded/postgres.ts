import { chownSync, existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { SQL } from "bun";
import { type Guarded, spawnGuarded, type User } from "./guard.ts";
import { endOrphan } from "./orphan.ts";
import { freePort } from "./port.ts";
import { postgresBinaries } from "./postgres-binaries.ts";
import { keptSecret } from "./secret.ts";
import { type Life, supervise } from "./supervisor.ts";

/** fsync and synchronous_commit stay on: an acknowledged effect survives a power cut. */
const SETTINGS = {
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
  password_encryption: "scram-sha-256",
  timezone: "UTC",
  log_timezone: "UTC",
  cluster_name: "kept",
};

const STARTUP_MS = 120_000;

type Cluster = {
  bin: string;
  folder: string;
  logFile: string;
  user: User | undefined;
  password: string;
  port: number;
};

/**
 * Starts PostgreSQL with its data in `dataDir`/postgres, making the cluster and the database `kept` at the
 * first start, and restarts it on the same port when it dies. It ends with this process, also after kill -9.
 * @throws when it cannot start; the server's own words are in `dataDir`/postgres.log.
 */
export async function startPostgres(
  dataDir: string,
  report: (line: string) => void = () => {},
): Promise<{ url: string; stop(): Promise<void> }> {
  const data = resolve(dataDir);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const folder = join(data, "postgres");
  const user = serviceUser(folder);
  const cluster: Cluster = {
    bin: join(postgresBinaries(join(data, "..", ".runtime"), user), "bin"),
    folder,
    logFile: join(data, "postgres.log"),
    user,
    password: keptSecret(join(data, "postgres.password")),
    port: await freePort(),
  };
  if (!existsSync(folder)) await createCluster(cluster);
  const server = await supervise({ name: "postgres", launch: () => launch(cluster), report });
  return { url: urlOf(cluster, "kept"), stop: server.stop };
}

async function launch(cluster: Cluster): Promise<Life<void>> {
  const { bin, folder, logFile, user, port } = cluster;
  await endOrphan(join(folder, "postmaster.pid"), folder, "SIGINT");
  const settings = Object.entries({ ...SETTINGS, port }).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
  const server = spawnGuarded({
    command: [join(bin, "postgres"), "-D", seenBy(user, folder), ...settings],
    cwd: folder,
    user,
    logFile,
    stopSignal: "INT",
  });
  return { ready: answering(cluster, server), exited: causeOf(server), stop: server.stop };
}

async function causeOf(server: Guarded): Promise<string> {
  return `exit code ${await server.exited}`;
}

/** Waits until the server takes connections, through a crash recovery too, and makes the database. */
async function answering(cluster: Cluster, server: Guarded): Promise<void> {
  let code: number | undefined;
  server.exited.then((exitCode) => {
    code = exitCode;
  });
  const deadline = performance.now() + STARTUP_MS;
  while (code === undefined && performance.now() < deadline) {
    if (await makeDatabase(cluster)) return;
    await Bun.sleep(20);
  }
  throw new Error(`PostgreSQL did not start (exit code ${code}): see ${cluster.logFile}`);
}

/** Creates the database unless it is there. @returns false while the server does not answer. */
async function makeDatabase(cluster: Cluster): Promise<boolean> {
  const sql = new SQL(urlOf(cluster, "postgres"), { max: 1, connectionTimeout: 5 });
  try {
    const [found] = await sql`select 1 from pg_database where datname = 'kept'`;
    if (!found) await sql`create database kept`;
    return true;
  } catch {
    return false;
  } finally {
    await sql.close();
  }
}

/** Builds the cluster beside its place and moves it there whole: a killed first start leaves no half of one. */
async function createCluster({ bin, folder, logFile, user, password }: Cluster): Promise<void> {
  const draft = `${folder}.new`;
  const cluster = join(draft, "cluster");
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(cluster, { recursive: true, mode: 0o700 });
  writeFileSync(join(draft, "password"), password, { mode: 0o600 });
  if (user) for (const path of [draft, cluster, join(draft, "password")]) chownSync(path, user.uid, user.gid);
  const place = seenBy(user, cluster);
  const initdb = spawnGuarded({
    command: [
      ...[join(bin, "initdb"), "-D", place, "--username=kept", `--pwfile=${place}/../password`],
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

/** PostgreSQL refuses to run as root: as root it runs as the cluster's owner, or as postgres or nobody. */
function serviceUser(folder: string): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  if (process.platform !== "linux") throw new Error("Start Kept as an ordinary user, not as root.");
  if (existsSync(folder)) {
    const { uid, gid } = statSync(folder);
    return { uid, gid };
  }
  for (const name of ["postgres", "nobody"]) {
    const [uid, gid] = ["-u", "-g"].map((flag) =>
      Number.parseInt(Bun.spawnSync(["id", flag, name]).stdout.toString(), 10),
    );
    if (uid && gid) return { uid, gid };
  }
  throw new Error("PostgreSQL may not run as root, and there is no user postgres or nobody to run it as.");
}

/** A path through /proc, because the user may have no way through the folders above (a checkout in /root). */
function seenBy(user: User | undefined, folder: string): string {
  return user ? "/proc/self/cwd" : folder;
}

function urlOf({ password, port }: Cluster, database: string): string {
  return `postgres://kept:${password}@127.0.0.1:${port}/${database}`;
}
