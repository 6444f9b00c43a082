import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { freePort } from "../servers/port.ts";
import { serverCommand, urlOf } from "../servers/postgres.ts";
import type { Cluster } from "../servers/postgres-cluster.ts";
import { launchServer } from "../servers/server.ts";
import { type BaseBackup, manifestFile } from "./catalogue.ts";
import { segmentFile } from "./chain.ts";
import { restoreCluster } from "./copy-cluster.ts";
import { settingMoment, sqlMoment } from "./moment.ts";
import { packedName, unpack } from "./packed.ts";
import { segmentBytes } from "./segments.ts";

/** A day of much log takes minutes. */
const patienceMs = 24 * 3_600_000;

/** A restored cluster whose server runs. */
export type Recovered = Readonly<{
  url: string;
  /** Whether there was a later change, so that the moment was certainly reached. */
  isReached: boolean;
  /** The time of the last change in it, if the log had any. */
  lastChangeAt: string | undefined;
  /** Where its log ended, in bytes from its beginning. */
  endsAt: number;
  stop(): Promise<void>;
}>;

/** Brings a base backup and its log into an empty folder, from which PostgreSQL then recovers. */
export async function layOut(
  { chain, folder, manifest }: BaseBackup,
  segments: readonly string[],
  { folder: cluster, user }: Cluster,
): Promise<void> {
  rmSync(cluster, { recursive: true, force: true });
  await restoreCluster(join(folder, "cluster"), cluster, manifest).catch((error: Error) => {
    throw new Error(`The backup ${join(folder, manifestFile)} cannot be read: ${error.message}`);
  });
  mkdirSync(join(cluster, "pg_wal"), { recursive: true, mode: 0o700 });
  for (const segment of segments)
    await unpack(segmentFile(chain, segment), join(cluster, "pg_wal", segment), segmentBytes);
  writeFileSync(join(cluster, "recovery.signal"), "", { mode: 0o600 });
  if (user) Bun.spawnSync(["chown", "-R", `${user.uid}:${user.gid}`, cluster]);
}

/**
 * Carries out the log up to a moment, or all of it. PostgreSQL refuses a moment that no later change proves, and is then
 * asked for all that there is.
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

/** @returns undefined when the server ended before it was done */
async function runRecovery(
  cluster: Cluster,
  target: Readonly<Record<string, string>>,
): Promise<Pick<Recovered, "url" | "stop"> | undefined> {
  const port = await freePort();
  const url = urlOf(cluster, port, "kept");
  const settings = {
    port,
    // Everything that it needs of the log is in its own folder already.
    restore_command: "false",
    recovery_target_timeline: "current",
    recovery_target_action: "promote",
    archive_mode: "off",
    // So that it takes connections when it is done and not before.
    hot_standby: "off",
    ...target,
  };
  const server = launchServer("PostgreSQL", serverCommand(cluster, settings), () => answers(url), patienceMs);
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
    // PostgreSQL writes a line for each try.
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
