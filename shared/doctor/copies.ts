import { accessSync, constants, existsSync, readdirSync, readFileSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { toRun } from "../process/to-run.ts";
import { broken, type Diagnosis, look, megabytes, ok, type Patient, reasonOf } from "./diagnosis.ts";

/** With less, the embedded server gives up its archive, and PostgreSQL is about to stop. */
const leastBytes = 512 * 1024 * 1024;

export async function disk(patient: Pick<Patient, "config">): Promise<Diagnosis> {
  const folders = [patient.config.dataDir, backupDirOf(patient)].filter((folder) => existsSync(folder));
  const free = folders.map((folder) => {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  });
  const least = Math.min(...free);
  if (free.length === 0) return ok("no folder of Kept on this machine");
  const says = `${megabytes(least)} free at ${folders[free.indexOf(least)]}`;
  if (least < leastBytes) return broken(says, "Make room: PostgreSQL stops when its disk is full.");
  return least < 4 * leastBytes ? look(says, "Make room soon.") : ok(says);
}

const backupDirOf = ({ config: { dataDir, backupDir } }: Pick<Patient, "config">): string =>
  backupDir ?? join(dataDir, "backup");

const dayMs = 86_400_000;

export async function backup(patient: Pick<Patient, "config" | "isEmbedded">): Promise<Diagnosis> {
  if (!patient.isEmbedded) return ok("by tools of your PostgreSQL, not seen from here");
  const folder = backupDirOf(patient);
  const refusal = refusalOf(folder);
  if (refusal) return refusal;
  const made = newestBackup(folder);
  if (made === undefined) return look("there is none", `Run ${toRun("backup")}, and again every night.`);
  const days = (Date.now() - made) / dayMs;
  const says = `the newest is ${days < 1 ? `${Math.round(days * 24)} h` : `${Math.round(days)} days`} old`;
  if (days < 2 && isOnDiskOf(patient.config.dataDir, folder))
    return look(
      `${says}, on the disk of the data`,
      "Set BACKUP_DIR to another disk: both would be lost at once.",
    );
  if (days < 2) return ok(says);
  return (days < 8 ? look : broken)(says, `Look at the nightly backup: ${toRun("backup --keep 7")}.`);
}

/** A folder that does not exist is made with the first backup. */
function refusalOf(folder: string): Diagnosis | undefined {
  if (!existsSync(folder)) return undefined;
  try {
    readdirSync(folder);
    accessSync(folder, constants.W_OK);
    return undefined;
  } catch (error) {
    return broken(reasonOf(error), "Make BACKUP_DIR a folder that the user of npm start can write.");
  }
}

export const isOnDiskOf = (data: string, folder: string): boolean =>
  statSync(data).dev === statSync(folder).dev;

/** @returns the time (epoch ms) at which the newest whole base backup was finished */
function newestBackup(folder: string): number | undefined {
  const manifests = existsSync(folder)
    ? [...new Bun.Glob("chain-*/base/*/manifest.json").scanSync(folder)]
    : [];
  const newest = manifests
    .filter((path) => !path.includes(".unfinished/"))
    .map((path) => statSync(join(folder, path)).mtimeMs);
  return newest.length === 0 ? undefined : Math.max(...newest);
}

/** Seconds that a full segment of PostgreSQL's log may wait for the folder of backups. */
const lag = { look: 120, broken: 900 };

const archiver = `
  select current_setting('archive_mode') as mode,
    coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as fails
  from pg_stat_archiver`;

export async function archive(patient: Omit<Patient, "redis">): Promise<Diagnosis> {
  const { rows } = await patient.pool.query<{ mode: string; fails: boolean }>(archiver);
  if (rows[0]?.fails)
    return broken("PostgreSQL cannot archive its log", "Look at its log for the reason; see docs/backup.md.");
  if (!patient.isEmbedded)
    return ok(rows[0]?.mode === "off" ? "off: dumps are the only backup" : "PostgreSQL archives its log");
  const refusal = refusalOf(backupDirOf(patient));
  if (refusal) return refusal;
  const spool = join(patient.config.dataDir, "postgres", "kept_archive");
  if (!existsSync(spool))
    return newestBackup(backupDirOf(patient)) === undefined
      ? ok("begins with the first backup")
      : broken("given up: new changes are in no backup", `Make room, then run ${toRun("backup")}.`);
  const waiting = readdirSync(spool).filter((name) => /^[0-9A-F]{24}$/.test(name));
  const since = Math.min(Date.now(), ...waiting.map((name) => statSync(join(spool, name)).mtimeMs));
  const seconds = Math.round((Date.now() - since) / 1_000);
  const says = `changes reach the backups ${seconds < lag.look ? "within two minutes" : `${seconds} s late`}`;
  if (seconds < lag.look) return ok(says);
  const destination = readFileSync(join(spool, "destination"), "utf8");
  return (seconds < lag.broken ? look : broken)(says, `Look why ${destination} cannot be written.`);
}
