import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { $, SQL } from "bun";
import { spawnGuarded } from "../../../shared/embedded/servers/guard.ts";
import { freePort } from "../../../shared/embedded/servers/port.ts";
import {
  type Cluster,
  createCluster,
  postgresBinaries,
  seenBy,
  serviceUser,
} from "../../../shared/embedded/servers/postgres.ts";
import { descendants } from "../chaos/descendants.ts";
import { signal } from "./signal.ts";

/** One PostgreSQL server of a group. Nothing restarts it. */
export type PostgresNode = ReturnType<typeof nodeOf>;

/** Makes a server with an empty database `kept`, in `folder`. It is not started. */
export async function createNode(folder: string): Promise<PostgresNode> {
  const cluster = clusterIn(folder, crypto.randomUUID());
  await createCluster(cluster);
  const node = nodeOf(cluster, await freePort());
  await node.start();
  await onServer(node.url.replace(/kept$/, "postgres"), "create database kept");
  await node.kill();
  return node;
}

/** Makes a standby of a running server by a base backup. It streams from the server under the name `standby`. */
export async function createStandby(primary: PostgresNode, folder: string): Promise<PostgresNode> {
  const { password, folder: source } = primary.cluster;
  const cluster = clusterIn(folder, password);
  const session = new SQL(primary.url, { max: 1 });
  await session`select pg_backup_start('standby', true)`;
  await $`cp -a ${source} ${cluster.folder}`;
  const [{ labelfile }] = await session`select labelfile from pg_backup_stop(false)`;
  await session.close();
  for (const part of ["postmaster.pid", "postmaster.opts"]) rmSync(join(cluster.folder, part));
  await $`rm -rf ${join(cluster.folder, "pg_wal")}`;
  for (const part of ["pg_wal", "pg_wal/archive_status", "pg_wal/summaries"])
    mkdirSync(join(cluster.folder, part));
  writeFileSync(join(cluster.folder, "backup_label"), labelfile);
  writeFileSync(join(cluster.folder, "standby.signal"), "");
  const { port } = new URL(primary.url);
  appendFileSync(
    join(cluster.folder, "postgresql.auto.conf"),
    `primary_conninfo = 'host=127.0.0.1 port=${port} user=kept password=${password} application_name=standby'\n`,
  );
  const { user } = cluster;
  if (user) await $`chown -R ${user.uid}:${user.gid} ${cluster.folder}`;
  return nodeOf(cluster, await freePort());
}

function clusterIn(folder: string, password: string): Cluster {
  const data = resolve(folder);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const user = serviceUser(join(data, "postgres"));
  const bin = join(postgresBinaries(join(data, "../.runtime"), user), "bin");
  return { bin, folder: join(data, "postgres"), logFile: join(data, "postgres.log"), user, password };
}

function nodeOf(cluster: Cluster, port: number) {
  const { bin, folder, logFile, user, password } = cluster;
  const url = `postgres://kept:${password}@127.0.0.1:${port}/kept`;
  let exited: Promise<number> | undefined;
  let frozen: readonly number[] = [];

  /** Stops the server and then its backends, so that it starts no other. */
  function freeze(): number[] {
    const postmaster = Number.parseInt(readFileSync(join(folder, "postmaster.pid"), "utf8"), 10);
    signal(postmaster, "SIGSTOP");
    const backends = descendants().filter(({ parent }) => parent === postmaster);
    const pids = [postmaster, ...backends.map(({ pid }) => pid)];
    for (const pid of pids) signal(pid, "SIGSTOP");
    return pids;
  }

  return {
    cluster,
    url,
    async start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
      const place = { listen_addresses: "127.0.0.1", unix_socket_directories: "", port: String(port) };
      const all = { ...place, ...settings };
      const flags = Object.entries(all).map(([name, value]) => `--${name}=${value}`);
      const command = [join(bin, "postgres"), "-D", seenBy(user, folder), ...flags];
      let ended = false;
      ({ exited } = spawnGuarded({ command, cwd: folder, user, logFile, stopSignal: "INT" }));
      void exited.then(() => {
        ended = true;
      });
      const answers = () =>
        onServer(url.replace(/kept$/, "postgres"), "select").then(
          () => true,
          () => false,
        );
      while (!(await answers())) {
        if (ended) throw new Error(`PostgreSQL did not start: ${readFileSync(logFile, "utf8").slice(-1000)}`);
        await Bun.sleep(50);
      }
    },
    async kill(): Promise<void> {
      const killed = freeze();
      for (const pid of killed) signal(pid, "SIGKILL");
      await exited;
      // A backend that is still ending holds shared memory, so no new server could start.
      while (killed.some(runs)) await Bun.sleep(10);
    },
    freeze(): void {
      frozen = freeze();
    },
    thaw(): void {
      for (const pid of frozen) signal(pid, "SIGCONT");
    },
    query: (statement: string) => onServer(url, statement),
  };
}

async function onServer(url: string, statement: string): Promise<Record<string, unknown>[]> {
  await using sql = new SQL(url, { max: 1, connectionTimeout: 2 });
  return await sql.unsafe(statement);
}

/** True if the process has not ended; an unreaped one (Z in proc_pid_stat(5)) has. */
function runs(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
