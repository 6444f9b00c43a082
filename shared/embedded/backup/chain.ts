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
import { isSegment, isWritten } from "./segments.ts";

/**
 * One unbroken history of a cluster in BACKUP_DIR: base backups in `base`, and in `wal` the log from the first of them
 * on. A restored cluster has another history, so it begins another chain.
 */
export type Chain = Readonly<{ folder: string }>;

/** What is known of a chain whose cluster was replaced: it is complete until `endedAt`. */
export type Ending = Readonly<{
  /** When something was last written to the cluster. */
  lastWriteAt: string;
  endedAt: string;
}>;

const destinationFile = (cluster: string): string => join(cluster, spoolFolder, "destination");
const endingFile = ({ folder }: Chain): string => join(folder, "ended.json");
export const walFolder = ({ folder }: Chain): string => join(folder, "wal");
export const baseFolder = ({ folder }: Chain): string => join(folder, "base");

/** The chain that a cluster's log goes to; undefined when there is none, or when its folder is gone. */
export function chainOf(cluster: string): Chain | undefined {
  const file = destinationFile(cluster);
  return existsSync(file) ? { folder: resolve(cluster, readFileSync(file, "utf8")) } : undefined;
}

/** Begins a chain in `backupDir`. From then on PostgreSQL hands over its log. */
export async function beginChain(cluster: string, backupDir: string): Promise<Chain> {
  const chain: Chain = { folder: join(backupDir, `chain-${stampOf(new Date())}`) };
  for (const folder of [walFolder(chain), baseFolder(chain)])
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  await toDisk(backupDir);
  const spool = join(cluster, spoolFolder);
  const draft = `${spool}.draft`;
  for (const folder of [draft, spool]) rmSync(folder, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  // A data folder that is moved takes its backups along.
  const isInside = backupDir.startsWith(`${dirname(cluster)}/`);
  const destination = isInside ? relative(cluster, chain.folder) : chain.folder;
  writeFileSync(join(draft, "destination"), destination, { mode: 0o600 });
  const { uid, gid } = statSync(cluster);
  chownSync(draft, uid, gid);
  renameSync(draft, spool);
  return chain;
}

/** PostgreSQL keeps nothing for a chain any more; what the chain has stays. */
export const leaveChain = (cluster: string): void =>
  rmSync(join(cluster, spoolFolder), { recursive: true, force: true });

/**
 * Carries what PostgreSQL has handed over to the chain.
 * @returns how many segments were carried
 * @throws when the chain's folder cannot be written
 */
export async function carry(cluster: string, chain: Chain): Promise<number> {
  const spool = join(cluster, spoolFolder);
  const names = await readdir(spool);
  // PostgreSQL's notes about backups and restores, which nothing here needs.
  for (const name of names.filter((name) => /\.(backup|history)$/.test(name))) rmSync(join(spool, name));
  const segments = names.filter(isSegment).sort();
  for (const segment of segments) {
    const target = join(walFolder(chain), packedName(segment));
    if (!existsSync(target)) await packWhole(join(spool, segment), target);
    else await demandSame(join(spool, segment), target);
    rmSync(join(spool, segment));
  }
  return segments.length;
}

/** After a crash PostgreSQL may hand over a segment again. Another one of the same name is another cluster's. */
async function demandSame(segment: string, packed: string): Promise<void> {
  const [given, known] = await Promise.all([Bun.file(segment).bytes(), Bun.file(packed).bytes()]);
  if (!(await Bun.zstdDecompress(known)).equals(given))
    throw new Error(`${packed} is the log of another Kept, perhaps of a copy of this one's data folder`);
}

/** What the chain has of the log: segments, and of the last one perhaps only the part that had been written. */
export async function segmentsIn(chain: Chain): Promise<Set<string>> {
  const names = (await readdir(walFolder(chain))).map((name) => name.replace(/(\.partial)?\.zst$/, ""));
  return new Set(names.filter(isSegment));
}

/** The chain's file with a segment. */
export function segmentFile(chain: Chain, segment: string): string {
  const whole = join(walFolder(chain), packedName(segment));
  return existsSync(whole) ? whole : join(walFolder(chain), packedName(`${segment}.partial`));
}

/**
 * Brings all that a stopped cluster has of its log into its chain, also the segment that it was just writing, and notes
 * that nothing is missing.
 */
export async function endChain(cluster: string, chain: Chain): Promise<void> {
  await carry(cluster, chain);
  const wal = join(cluster, "pg_wal");
  const written = (await readdir(wal)).filter((name) => isSegment(name) && isWritten(join(wal, name)));
  const whole = (name: string) => existsSync(join(walFolder(chain), packedName(name)));
  const newest = [...(await segmentsIn(chain))].filter(whole).sort().at(-1);
  for (const name of written.filter((name) => newest !== undefined && name > newest))
    await packWhole(join(wal, name), join(walFolder(chain), packedName(`${name}.partial`)));
  const times = [join(cluster, "global/pg_control"), ...written.map((name) => join(wal, name))].map(
    (path) => statSync(path).mtimeMs,
  );
  const ending: Ending = {
    lastWriteAt: new Date(Math.max(...times)).toISOString(),
    endedAt: presentMoment(),
  };
  writeFileSync(`${endingFile(chain)}.new`, JSON.stringify(ending), { mode: 0o600, flush: true });
  renameSync(`${endingFile(chain)}.new`, endingFile(chain));
  await toDisk(dirname(endingFile(chain)));
}

export function endingOf(chain: Chain): Ending | undefined {
  const file = endingFile(chain);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}
