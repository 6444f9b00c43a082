import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { SQL } from "bun";
import type { CommonConfig } from "../../process/config.ts";
import { lockFile } from "../lock.ts";
import { sqlMoment, stampOf } from "./moment.ts";
import { type Contents, copyCluster, pack, packedName, toDisk } from "./packed.ts";
import { archiveOf, baseFolder, beginArchive, segmentFile, walFolder } from "./wal-archive.ts";

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
async function archiveIn(backupDir: string, cluster: string): Promise<string> {
  const present = archiveOf(cluster);
  const goesOn = present?.startsWith(`${backupDir}/`) && existsSync(baseFolder(present));
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
async function logArrives(archive: string, segment: string): Promise<void> {
  const deadline = performance.now() + logArrivesWithinMs;
  while (!existsSync(segmentFile(archive, segment))) {
    if (performance.now() > deadline)
      throw new Error(
        `The log does not arrive in ${archive}: see what npm start says. There is no new backup.`,
      );
    await Bun.sleep(100);
  }
}

export function packedBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

/** The description of a base backup. Times are ISO in UTC with microseconds, by PostgreSQL's clock. */
type Manifest = Contents &
  Readonly<{
    startedAt: string;
    /** The earliest moment that it can restore. */
    finishedAt: string;
    /** The part of the log that it cannot do without. */
    firstSegment: string;
    lastSegment: string;
    /** Names of the files of DATA_DIR beside the cluster. */
    beside: readonly string[];
  }>;

export type BaseBackup = Readonly<{ archive: string; folder: string; manifest: Manifest }>;

/** The end of the name of an unfinished base backup, which marks it as incomplete while it is made or removed. */
const unfinished = ".unfinished";
export const manifestFile = "manifest.json";

/** All whole base backups in `backupDir`, oldest first. */
export function listBaseBackups(backupDir: string): BaseBackup[] {
  return listArchives(backupDir)
    .flatMap((archive) =>
      readdirSync(baseFolder(archive))
        .filter((name) => !name.endsWith(unfinished))
        .map((name) => join(baseFolder(archive), name))
        .map((folder) => ({ archive, folder, manifest: manifestOf(folder) })),
    )
    .sort((a, b) => (a.manifest.finishedAt < b.manifest.finishedAt ? -1 : 1));
}

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, manifestFile), "utf8"));

const listArchives = (backupDir: string): string[] =>
  (existsSync(backupDir) ? readdirSync(backupDir) : [])
    .filter((name) => name.startsWith("chain-"))
    .map((name) => join(backupDir, name))
    .filter((archive) => existsSync(baseFolder(archive)));

/** Removes the rest of interrupted backups. The caller must hold the lock of `backupDir`. */
function removeUnfinished(backupDir: string): void {
  for (const archive of listArchives(backupDir))
    for (const name of readdirSync(baseFolder(archive)))
      if (name.endsWith(unfinished)) remove(join(baseFolder(archive), name));
}

/**
 * Removes all but the newest `count` base backups, and the log that only they need.
 * @param current the archive that receives the log; it stays
 * @returns the number of removed base backups
 */
export function keepNewest(backupDir: string, count: number, current: string): number {
  const backups = listBaseBackups(backupDir);
  const old = backups.slice(0, Math.max(0, backups.length - count));
  for (const { folder } of old) {
    renameSync(folder, `${folder}${unfinished}`);
    remove(`${folder}${unfinished}`);
  }
  for (const archive of listArchives(backupDir)) {
    const oldest = backups.find((backup) => backup.archive === archive && !old.includes(backup));
    if (oldest) removeLogBefore(archive, oldest.manifest.firstSegment);
    else if (archive !== current) remove(archive);
  }
  return old.length;
}

function removeLogBefore(archive: string, segment: string): void {
  for (const name of readdirSync(walFolder(archive)))
    if (name < segment) remove(join(walFolder(archive), name));
}

const remove = (path: string): void => rmSync(path, { recursive: true, force: true });

/** The data folder of an embedded database and the folder of its backups, as absolute paths. */
export type BackupFolders = Readonly<{ dataDir: string; backupDir: string }>;

/** @throws when the database is not an embedded one */
export function backupFolders({ databaseUrl, dataDir, backupDir }: CommonConfig): BackupFolders {
  if (databaseUrl !== undefined)
    throw new Error("DATABASE_URL names a server of yours, which has tools of its own: see docs/backup.md.");
  return { dataDir: resolve(dataDir), backupDir: resolve(backupDir ?? join(dataDir, "backup")) };
}
