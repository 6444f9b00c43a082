import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { baseFolder, type WalArchive, walFolder } from "./wal-archive.ts";

/** The description of a base backup. Times are ISO in UTC with microseconds, by PostgreSQL's clock. */
export type Manifest = Readonly<{
  startedAt: string;
  /** The earliest moment that it can restore. */
  finishedAt: string;
  /** The part of the log that it cannot do without. */
  firstSegment: string;
  lastSegment: string;
  folders: readonly string[];
  /** Each file of the cluster with its bytes. */
  files: readonly (readonly [path: string, bytes: number])[];
  /** Names of the files of DATA_DIR beside the cluster. */
  beside: readonly string[];
}>;

export type BaseBackup = Readonly<{ archive: WalArchive; folder: string; manifest: Manifest }>;

/** The end of the name of an unfinished base backup, which marks it as incomplete while it is made or removed. */
export const unfinished = ".unfinished";
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

const listArchives = (backupDir: string): WalArchive[] =>
  (existsSync(backupDir) ? readdirSync(backupDir) : [])
    .filter((name) => name.startsWith("chain-"))
    .map((name) => ({ folder: join(backupDir, name) }))
    .filter((archive) => existsSync(baseFolder(archive)));

/** Removes the rest of interrupted backups. The caller must hold the lock of `backupDir`. */
export function removeUnfinished(backupDir: string): void {
  for (const archive of listArchives(backupDir))
    for (const name of readdirSync(baseFolder(archive)))
      if (name.endsWith(unfinished)) remove(join(baseFolder(archive), name));
}

/**
 * Removes all but the newest `count` base backups, and the log that only they need.
 * @param current the archive that receives the log; it stays
 * @returns the number of removed base backups
 */
export function keepNewest(backupDir: string, count: number, current: WalArchive): number {
  const backups = listBaseBackups(backupDir);
  const old = backups.slice(0, Math.max(0, backups.length - count));
  for (const { folder } of old) {
    renameSync(folder, `${folder}${unfinished}`);
    remove(`${folder}${unfinished}`);
  }
  for (const archive of listArchives(backupDir)) {
    const oldest = backups.find(
      (backup) => backup.archive.folder === archive.folder && !old.includes(backup),
    );
    if (oldest) removeLogBefore(archive, oldest.manifest.firstSegment);
    else if (archive.folder !== current.folder) remove(archive.folder);
  }
  return old.length;
}

function removeLogBefore(archive: WalArchive, segment: string): void {
  for (const name of readdirSync(walFolder(archive)))
    if (name < segment) remove(join(walFolder(archive), name));
}

const remove = (path: string): void => rmSync(path, { recursive: true, force: true });
