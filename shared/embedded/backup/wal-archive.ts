import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { toRun } from "../../process/to-run.ts";
import { spoolFolder, startPostgres } from "../servers/postgres.ts";
import { presentMoment, stampOf } from "./moment.ts";
import { packedName, packWhole, toDisk } from "./packed.ts";

const everyMs = 500;
/** Log that may wait for an unwritable backup folder: 1 GB, or less if the disk gets full. */
const patience = { segments: 64, freeBytes: 512 * 1024 * 1024 };

/**
 * Starts PostgreSQL as `startPostgres` does, and copies its log to the present archive of backups, if there is one. If
 * the archive cannot be written, only the log waits, no change does. Before the disk is full, the archive is given up.
 */
export async function startBackedUpPostgres(
  dataDir: string,
  report: (line: string) => void = () => {},
): ReturnType<typeof startPostgres> {
  const { url, stop } = await startPostgres(dataDir, report, { endsHanging: true });
  const archiving = startArchiving(join(dataDir, "postgres"), (line) => report(`backup       ${line}`));
  return {
    url,
    async stop() {
      // The server archives its last segment when it stops.
      await stop();
      await archiving.stop();
    },
  };
}

function startArchiving(cluster: string, report: (line: string) => void): { stop(): Promise<void> } {
  let complaint: string | undefined;

  async function sweep(): Promise<void> {
    const archive = archiveOf(cluster);
    if (!archive) return;
    try {
      const count = await archiveSegments(cluster, archive);
      if (complaint !== undefined && count > 0) {
        complaint = undefined;
        report(`the log goes to ${archive} again; no change is missing in the backup`);
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== complaint)
        report(`the log cannot go to ${archive} (${reason}); changes go on, but are in no backup`);
      complaint = reason;
      if (await isOutOfPatience(cluster)) {
        rmSync(join(cluster, spoolFolder), { recursive: true, force: true });
        complaint = undefined;
        report(`given up: changes from now on are in no backup until the next ${toRun("backup")}`);
      }
    }
  }

  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= sweep().finally(() => {
      running = undefined;
    });
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await running;
      await sweep();
    },
  };
}

async function isOutOfPatience(cluster: string): Promise<boolean> {
  const waiting = (await readdir(join(cluster, spoolFolder))).length;
  const { bavail, bsize } = statfsSync(cluster);
  return waiting > patience.segments || (waiting > 0 && bavail * bsize < patience.freeBytes + segmentBytes);
}

/** The end of an archive whose cluster was replaced: the archive is complete until `endedAt`. */
export type Ending = Readonly<{
  lastWriteAt: string;
  endedAt: string;
}>;

const destinationFile = (cluster: string): string => join(cluster, spoolFolder, "destination");
const endingFile = (archive: string): string => join(archive, "ended.json");

/**
 * An archive is the folder of one unbroken history of a cluster: base backups in `base`, and in `wal` the log since the
 * first of them. A restored cluster has another history, so it starts another archive.
 */
export const walFolder = (archive: string): string => join(archive, "wal");
export const baseFolder = (archive: string): string => join(archive, "base");

/** The archive that receives a cluster's log; undefined if there is none or its folder is gone. */
export function archiveOf(cluster: string): string | undefined {
  const file = destinationFile(cluster);
  return existsSync(file) ? resolve(cluster, readFileSync(file, "utf8")) : undefined;
}

/** Starts an archive in `backupDir`. From then on PostgreSQL archives its log. */
export async function beginArchive(cluster: string, backupDir: string): Promise<string> {
  const archive = join(backupDir, `chain-${stampOf(new Date())}`);
  for (const folder of [walFolder(archive), baseFolder(archive)])
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  await toDisk(backupDir);
  const spool = join(cluster, spoolFolder);
  const draft = `${spool}.draft`;
  for (const folder of [draft, spool]) rmSync(folder, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  // A data folder that is moved takes its backups along.
  const isInside = backupDir.startsWith(`${dirname(cluster)}/`);
  const destination = isInside ? relative(cluster, archive) : archive;
  writeFileSync(join(draft, "destination"), destination, { mode: 0o600 });
  const { uid, gid } = statSync(cluster);
  chownSync(draft, uid, gid);
  renameSync(draft, spool);
  return archive;
}

/**
 * Moves archived segments from the spool to the archive.
 * @returns the number of moved segments
 * @throws when the archive's folder cannot be written
 */
async function archiveSegments(cluster: string, archive: string): Promise<number> {
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
export async function segmentsIn(archive: string): Promise<Set<string>> {
  const names = (await readdir(walFolder(archive))).map((name) => name.replace(/(\.partial)?\.zst$/, ""));
  return new Set(names.filter(isSegment));
}

export function segmentFile(archive: string, segment: string): string {
  const whole = join(walFolder(archive), packedName(segment));
  return existsSync(whole) ? whole : join(walFolder(archive), packedName(`${segment}.partial`));
}

/**
 * Copies all log of a stopped cluster to its archive, with the segment that was being written, and notes that the archive
 * is complete.
 */
export async function endArchive(cluster: string, archive: string): Promise<void> {
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

export function endingOf(archive: string): Ending | undefined {
  const file = endingFile(archive);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

/** Each file of PostgreSQL's write-ahead log has this size. */
export const segmentBytes = 16 * 1024 * 1024;
const segmentsPerLog = 256;

/** A name is the timeline (8 hex digits) and the position in the log (16). */
const isSegment = (name: string): boolean => /^[0-9A-F]{24}$/.test(name);

const numberOf = (segment: string): number =>
  Number.parseInt(segment.slice(8, 16), 16) * segmentsPerLog + Number.parseInt(segment.slice(16), 16);

/** The end of a segment in bytes from the beginning of the log. */
export const endOf = (segment: string): number => (numberOf(segment) + 1) * segmentBytes;

function nextOf(segment: string): string {
  const number = numberOf(segment) + 1;
  const digits = (part: number) => part.toString(16).toUpperCase().padStart(8, "0");
  return segment.slice(0, 8) + digits(Math.floor(number / segmentsPerLog)) + digits(number % segmentsPerLog);
}

/** The names that follow each other without a gap, from `first` on. */
export function runFrom(first: string, names: ReadonlySet<string>): string[] {
  const run: string[] = [];
  for (let segment = first; names.has(segment); segment = nextOf(segment)) run.push(segment);
  return run;
}

/**
 * True if a file of pg_wal has the log that its name says. PostgreSQL keeps old segments under future names; their
 * first page still has its old position (XLogPageHeaderData).
 */
function isWritten(path: string): boolean {
  const header = new DataView(new ArrayBuffer(16));
  const file = openSync(path, "r");
  const bytes = readSync(file, header, 0, 16, 0);
  closeSync(file);
  const position = BigInt(numberOf(basename(path))) * BigInt(segmentBytes);
  return bytes === 16 && header.getUint16(0, true) !== 0 && header.getBigUint64(8, true) === position;
}
