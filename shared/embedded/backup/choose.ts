import { type BaseBackup, listBaseBackups } from "./catalogue.ts";
import { presentMoment } from "./moment.ts";
import { type Ending, endingOf, segmentsIn } from "./wal-archive.ts";
import { endOf, runFrom } from "./wal-segments.ts";

/** The parts of a restore: a base backup, and the log after it. */
export type Source = Readonly<{
  backup: BaseBackup;
  segments: readonly string[];
  /** The end of that log in bytes from its beginning. */
  endsAt: number;
  /** Set if the archive is complete; later changes are in no backup. */
  ending: Ending | undefined;
}>;

/**
 * Chooses the newest backup before the moment, or the newest of all. Its archive was the one in use at the moment,
 * because each archive begins with a backup.
 * @throws with a line for people when nothing in `backupDir` can restore that moment
 */
export async function chooseSource(backupDir: string, moment: string | undefined): Promise<Source> {
  const backups = listBaseBackups(backupDir);
  const [oldest] = backups;
  if (!oldest) throw new Error(`There is no backup in ${backupDir}. BACKUP_DIR names another folder.`);
  if (moment !== undefined && moment > presentMoment()) throw new Error(`${moment} lies in the future.`);
  const backup = backups.findLast(({ manifest }) => moment === undefined || manifest.finishedAt <= moment);
  if (!backup)
    throw new Error(
      `The oldest backup is of ${oldest.manifest.finishedAt}: nothing from before it can be restored.`,
    );
  const { archive, folder, manifest } = backup;
  const known = await segmentsIn(archive);
  const segments = runFrom(manifest.firstSegment, known);
  const last = segments.at(-1);
  if (last === undefined || last < manifest.lastSegment)
    throw new Error(
      `The log that belongs to ${folder} is missing in ${archive.folder}: choose another moment.`,
    );
  const isWhole = [...known].filter((segment) => segment >= manifest.firstSegment).length === segments.length;
  const ending = endingOf(archive);
  const isComplete = isWhole && ending !== undefined && (moment === undefined || moment <= ending.endedAt);
  return { backup, segments, endsAt: endOf(last), ending: isComplete ? ending : undefined };
}
