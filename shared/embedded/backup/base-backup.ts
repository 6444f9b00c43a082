import { existsSync, mkdirSync, readdirSync, renameSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { lockFile } from "../lock.ts";
import { type BaseBackup, type Manifest, manifestFile, removeUnfinished, unfinished } from "./catalogue.ts";
import { copyCluster } from "./copy-cluster.ts";
import type { BackupFolders } from "./folders.ts";
import { sqlMoment, stampOf } from "./moment.ts";
import { pack, packedName, toDisk } from "./packed.ts";
import { archiveOf, baseFolder, beginArchive, segmentFile, type WalArchive } from "./wal-archive.ts";

/**
 * Files of DATA_DIR that a restored Kept needs or its owner would miss. Everything else is in the database or made
 * anew.
 */
const filesBeside = ["postgres.password", "owner-token"];
/** This much of the disk stays free, because a full disk would stop the service. */
const reserveBytes = 256 * 1024 * 1024;
const logArrivesWithinMs = 60_000;
/** A segment that is not full is archived after this time, so a lost disk costs at most this much. */
const archiveTimeout = "60s";

/**
 * Copies the running embedded database at `url` without delaying anybody. The copy has the name of an unfinished one
 * until it is whole.
 * @throws with a line for people
 */
export async function makeBaseBackup(
  { dataDir, backupDir }: BackupFolders,
  url: string,
): Promise<BaseBackup> {
  mkdirSync(backupDir, { recursive: true, mode: 0o700 });
  if (!lockFile(join(backupDir, "backup.lock")))
    throw new Error(`Another backup or restore works in ${backupDir}.`);
  removeUnfinished(backupDir);
  const cluster = join(dataDir, "postgres");
  const sql = new SQL(url, { max: 1 });
  try {
    await demandArchiving(sql);
    demandSpace(backupDir, await bytesIn(sql));
    const archive = await archiveIn(backupDir, cluster);
    const folder = join(baseFolder(archive), stampOf(new Date()));
    const draft = `${folder}${unfinished}`;
    mkdirSync(draft, { mode: 0o700 });
    const manifest = {
      ...(await copyRunning(sql, cluster, draft)),
      beside: await copyBeside(dataDir, draft),
    };
    await logArrives(archive, manifest.lastSegment);
    writeFileSync(join(draft, manifestFile), JSON.stringify(manifest), { mode: 0o600, flush: true });
    await toDisk(draft);
    renameSync(draft, folder);
    await toDisk(baseFolder(archive));
    return { archive, folder, manifest };
  } finally {
    removeUnfinished(backupDir);
    await sql.close();
  }
}

async function demandArchiving(sql: SQL): Promise<void> {
  const [{ archive_mode }] = await sql`show archive_mode`;
  if (archive_mode !== "on")
    throw new Error("The running Kept is of a release without backups. Stop and start it, then try again.");
  const [{ archive_timeout }] = await sql`show archive_timeout`;
  if (archive_timeout !== "0") return;
  await sql.unsafe(`alter system set archive_timeout = '${archiveTimeout}'`);
  await sql`select pg_reload_conf()`;
}

async function bytesIn(sql: SQL): Promise<number> {
  const [{ bytes }] = await sql`select sum(pg_database_size(oid))::float8 as bytes from pg_database`;
  return bytes;
}

/** @throws when so many bytes more would leave the disk of `folder` nearly full */
export function demandSpace(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const megabytes = (count: number) => `${Math.ceil(count / 1e6)} MB`;
  if (bavail * bsize < bytes + reserveBytes)
    throw new Error(
      `${folder} has ${megabytes(bavail * bsize)} free; this may take ${megabytes(bytes)} and leaves ${megabytes(reserveBytes)}.`,
    );
}

/** Continues the archive if it exists in this folder; otherwise starts a new one. */
async function archiveIn(backupDir: string, cluster: string): Promise<WalArchive> {
  const present = archiveOf(cluster);
  const goesOn = present?.folder.startsWith(`${backupDir}/`) && existsSync(baseFolder(present));
  return present && goesOn ? present : beginArchive(cluster, backupDir);
}

/** The backup belongs to one session of PostgreSQL and is void if that session ends early. */
async function copyRunning(sql: SQL, cluster: string, draft: string): Promise<Omit<Manifest, "beside">> {
  const clusterFolder = join(draft, "cluster");
  const present = sql.unsafe(sqlMoment("clock_timestamp()"));
  const [{ startedAt }] = await sql`
    select ${present} as "startedAt" from pg_backup_start('kept', true)`;
  const contents = await copyCluster(cluster, clusterFolder);
  const [end] = await sql`
    select labelfile, pg_walfile_name(lsn) as "lastSegment", ${present} as "finishedAt"
    from pg_backup_stop(false)`;
  const { labelfile, lastSegment, finishedAt } = end;
  const label = join(clusterFolder, packedName("backup_label"));
  writeFileSync(label, await Bun.zstdCompress(labelfile), { mode: 0o600, flush: true });
  const [, firstSegment] = /^START WAL LOCATION: .*\(file (\w{24})\)/m.exec(labelfile) ?? [];
  if (!firstSegment) throw new Error(`PostgreSQL's label of the backup has no segment: ${labelfile}`);
  const files = [...contents.files, ["backup_label", Buffer.byteLength(labelfile)] as const];
  return { startedAt, finishedAt, firstSegment, lastSegment, folders: contents.folders, files };
}

async function copyBeside(dataDir: string, draft: string): Promise<string[]> {
  const names = filesBeside.filter((name) => existsSync(join(dataDir, name)));
  mkdirSync(join(draft, "beside"), { mode: 0o700 });
  for (const name of names) await pack(join(dataDir, name), join(draft, "beside", packedName(name)));
  return names;
}

/** Waits until the rest of the log that the copy needs is in the archive; `npm start` copies it there. */
async function logArrives(archive: WalArchive, segment: string): Promise<void> {
  const deadline = performance.now() + logArrivesWithinMs;
  while (!existsSync(segmentFile(archive, segment))) {
    if (performance.now() > deadline)
      throw new Error(
        `The log does not arrive in ${archive.folder}: see what npm start says. There is no new backup.`,
      );
    await Bun.sleep(100);
  }
}

/** The bytes of a backup on disk. */
export function packedBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
