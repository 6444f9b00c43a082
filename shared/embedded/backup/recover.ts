import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { freePort } from "../servers/port.ts";
import { serverCommand, urlOf } from "../servers/postgres.ts";
import type { Cluster } from "../servers/postgres-cluster.ts";
import { launchServer } from "../servers/server.ts";
import { type BaseBackup, manifestFile } from "./catalogue.ts";
import { restoreCluster } from "./copy-cluster.ts";
import { settingMoment, sqlMoment } from "./moment.ts";
import { packedName, unpack } from "./packed.ts";
import { segmentFile } from "./wal-archive.ts";
import { segmentBytes } from "./wal-segments.ts";

/** Recovery of a busy day's log takes minutes. */
const patienceMs = 24 * 3_600_000;

/** A restored cluster whose server runs. */
export type Recovered = Readonly<{
  url: string;
  /** True if the log has a later change, which proves that the moment was reached. */
  isReached: boolean;
  /** The time of the last change in the log, if there was any. */
  lastChangeAt: string | undefined;
  /** The end of its log in bytes from the beginning. */
  endsAt: number;
  stop(): Promise<void>;
}>;

/** Unpacks a base backup and its log into an empty folder, from which PostgreSQL then recovers. */
export async function layOut(
  { archive, folder, manifest }: BaseBackup,
  segments: readonly string[],
  { folder: cluster, user }: Cluster,
): Promise<void> {
  rmSync(cluster, { recursive: true, force: true });
  await restoreCluster(join(folder, "cluster"), cluster, manifest).catch((error: Error) => {
    throw new Error(`The backup ${join(folder, manifestFile)} cannot be read: ${error.message}`);
  });
  mkdirSync(join(cluster, "pg_wal"), { recursive: true, mode: 0o700 });
  for (const segment of segments)
    await unpack(segmentFile(archive, segment), join(cluster, "pg_wal", segment), segmentBytes);
  writeFileSync(join(cluster, "recovery.signal"), "", { mode: 0o600 });
  if (user) Bun.spawnSync(["chown", "-R", `${user.uid}:${user.gid}`, cluster]);
}

/**
 * Replays the log up to a moment, or all of it. PostgreSQL refuses a moment without a later change; then all of the log
 * is replayed.
 * @throws when PostgreSQL cannot do it
 */
export async function recover(cluster: Cluster, moment: string | undefined): Promise<Recovered> {
  const reached =
    moment === undefined
      ? undefined
      : await runRecovery(cluster, { recovery_target_time: settingMoment(moment) });
  const server = reached ?? (await runRecovery(cluster, {}));
  if (!server) throw new Error(`PostgreSQL cannot carry out the log: see ${cluster.logFile}.`);
  const sql = new SQL(server.url, { max: 1 });
  const [row] = await sql`
    select ${sql.unsafe(sqlMoment("pg_last_xact_replay_timestamp()"))} as "lastChangeAt",
      pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as "endsAt"`;
  await sql.close();
  const { endsAt } = row;
  return { ...server, isReached: reached !== undefined, lastChangeAt: row.lastChangeAt ?? undefined, endsAt };
}

/** @returns undefined when the server ended too early */
async function runRecovery(
  cluster: Cluster,
  target: Readonly<Record<string, string>>,
): Promise<Pick<Recovered, "url" | "stop"> | undefined> {
  const port = await freePort();
  const url = urlOf(cluster, port, "kept");
  const settings = {
    port,
    // The folder itself already has all log that it needs.
    restore_command: "false",
    recovery_target_timeline: "current",
    recovery_target_action: "promote",
    archive_mode: "off",
    // Without hot standby, the server takes connections only after the recovery.
    hot_standby: "off",
    ...target,
  };
  const server = launchServer("PostgreSQL", serverCommand(cluster, settings), () => answers(url), {
    patienceMs,
  });
  try {
    await server.ready;
    return { url, stop: server.stop };
  } catch {
    await server.stop();
    return undefined;
  }
}

async function answers(url: string): Promise<boolean> {
  const sql = new SQL(url, { max: 1, connectionTimeout: 5 });
  try {
    await sql`select`;
    return true;
  } catch {
    // PostgreSQL logs a line for each try, so there is a pause.
    await Bun.sleep(100);
    return false;
  } finally {
    await sql.close();
  }
}

/** Reads one of the files that were beside the cluster. */
export async function readBeside({ folder }: BaseBackup, name: string): Promise<Uint8Array> {
  return Bun.zstdDecompress(await Bun.file(join(folder, "beside", packedName(name))).bytes());
}
