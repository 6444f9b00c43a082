import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { spoolFolder } from "../servers/archive.ts";
import { presentMoment, stampOf } from "./moment.ts";
import { packedName, packWhole, toDisk } from "./packed.ts";
import { isSegment, isWritten } from "./wal-segments.ts";

/**
 * One unbroken history of a cluster in BACKUP_DIR: base backups in `base`, and in `wal` the log since the first of
 * them. A restored cluster has another history, so it starts another archive.
 */
export type WalArchive = Readonly<{ folder: string }>;

/** The end of an archive whose cluster was replaced: the archive is complete until `endedAt`. */
export type Ending = Readonly<{
  /** The time of the last write to the cluster. */
  lastWriteAt: string;
  endedAt: string;
}>;

const destinationFile = (cluster: string): string => join(cluster, spoolFolder, "destination");
const endingFile = ({ folder }: WalArchive): string => join(folder, "ended.json");
export const walFolder = ({ folder }: WalArchive): string => join(folder, "wal");
export const baseFolder = ({ folder }: WalArchive): string => join(folder, "base");

/** The archive that receives a cluster's log; undefined if there is none or its folder is gone. */
export function archiveOf(cluster: string): WalArchive | undefined {
  const file = destinationFile(cluster);
  return existsSync(file) ? { folder: resolve(cluster, readFileSync(file, "utf8")) } : undefined;
}

/** Starts an archive in `backupDir`. From then on PostgreSQL archives its log. */
export async function beginArchive(cluster: string, backupDir: string): Promise<WalArchive> {
  const archive: WalArchive = { folder: join(backupDir, `chain-${stampOf(new Date())}`) };
  for (const folder of [walFolder(archive), baseFolder(archive)])
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  await toDisk(backupDir);
  const spool = join(cluster, spoolFolder);
  const draft = `${spool}.draft`;
  for (const folder of [draft, spool]) rmSync(folder, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  // A data folder that is moved takes its backups along.
  const isInside = backupDir.startsWith(`${dirname(cluster)}/`);
  const destination = isInside ? relative(cluster, archive.folder) : archive.folder;
  writeFileSync(join(draft, "destination"), destination, { mode: 0o600 });
  const { uid, gid } = statSync(cluster);
  chownSync(draft, uid, gid);
  renameSync(draft, spool);
  return archive;
}

/** Stops archiving; the files of the archive stay. */
export const leaveArchive = (cluster: string): void =>
  rmSync(join(cluster, spoolFolder), { recursive: true, force: true });

/**
 * Moves archived segments from the spool to the archive.
 * @returns the number of moved segments
 * @throws when the archive's folder cannot be written
 */
export async function archiveSegments(cluster: string, archive: WalArchive): Promise<number> {
  const spool = join(cluster, spoolFolder);
  const names = await readdir(spool);
  // PostgreSQL's notes about backups and restores are not needed here.
  for (const name of names.filter((name) => /\.(backup|history)$/.test(name))) rmSync(join(spool, name));
  const segments = names.filter(isSegment).sort();
  for (const segment of segments) {
    const target = join(walFolder(archive), packedName(segment));
    if (!existsSync(target)) await packWhole(join(spool, segment), target);
    else await demandSame(join(spool, segment), target);
    rmSync(join(spool, segment));
  }
  return segments.length;
}

/**
 * After a crash PostgreSQL may archive a segment again. A different one of the same name comes from another cluster.
 */
async function demandSame(segment: string, packed: string): Promise<void> {
  const [given, known] = await Promise.all([Bun.file(segment).bytes(), Bun.file(packed).bytes()]);
  if (!(await Bun.zstdDecompress(known)).equals(given))
    throw new Error(`${packed} is the log of another Kept, perhaps of a copy of this one's data folder`);
}

/** The segments of the log in the archive; the last one may be partial. */
export async function segmentsIn(archive: WalArchive): Promise<Set<string>> {
  const names = (await readdir(walFolder(archive))).map((name) => name.replace(/(\.partial)?\.zst$/, ""));
  return new Set(names.filter(isSegment));
}

/** The file of a segment in the archive. */
export function segmentFile(archive: WalArchive, segment: string): string {
  const whole = join(walFolder(archive), packedName(segment));
  return existsSync(whole) ? whole : join(walFolder(archive), packedName(`${segment}.partial`));
}

/**
 * Copies all log of a stopped cluster to its archive, with the segment that was being written, and notes that the archive
 * is complete.
 */
export async function endArchive(cluster: string, archive: WalArchive): Promise<void> {
  await archiveSegments(cluster, archive);
  const wal = join(cluster, "pg_wal");
  const written = (await readdir(wal)).filter((name) => isSegment(name) && isWritten(join(wal, name)));
  const whole = (name: string) => existsSync(join(walFolder(archive), packedName(name)));
  const newest = [...(await segmentsIn(archive))].filter(whole).sort().at(-1);
  for (const name of written.filter((name) => newest !== undefined && name > newest))
    await packWhole(join(wal, name), join(walFolder(archive), packedName(`${name}.partial`)));
  const times = [join(cluster, "global/pg_control"), ...written.map((name) => join(wal, name))].map(
    (path) => statSync(path).mtimeMs,
  );
  const ending: Ending = {
    lastWriteAt: new Date(Math.max(...times)).toISOString(),
    endedAt: presentMoment(),
  };
  writeFileSync(`${endingFile(archive)}.new`, JSON.stringify(ending), { mode: 0o600, flush: true });
  renameSync(`${endingFile(archive)}.new`, endingFile(archive));
  await toDisk(dirname(endingFile(archive)));
}

export function endingOf(archive: WalArchive): Ending | undefined {
  const file = endingFile(archive);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}
