import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { isAbsolute, join, normalize, sep } from "node:path";
import { parseArgs } from "node:util";
import { SQL } from "bun";
import { loadCommonConfig } from "../../process/config.ts";
import { toRun } from "../../process/to-run.ts";
import { elapsed, explain } from "../explain.ts";
import { lockDataDir, lockFile } from "../lock.ts";
import { freePort } from "../servers/port.ts";
import { type Cluster, embeddedCluster, restoredCluster, serverCommand, urlOf } from "../servers/postgres.ts";
import { endOrphan, launchServer } from "../servers/server.ts";
import { makeUpFor } from "./after-restore.ts";
import {
  type BackupFolders,
  type BaseBackup,
  backupFolders,
  demandSpace,
  listBaseBackups,
  makeBaseBackup,
  manifestFile,
} from "./base-backup.ts";
import { momentOf, presentMoment, settingMoment, sqlMoment, stampOf } from "./moment.ts";
import { packedName, restoreCluster, unpack } from "./packed.ts";
import {
  archiveOf,
  type Ending,
  endArchive,
  endingOf,
  endOf,
  runFrom,
  segmentBytes,
  segmentFile,
  segmentsIn,
  startBackedUpPostgres,
} from "./wal-archive.ts";

type Source = Readonly<{
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
async function chooseSource(backupDir: string, moment: string | undefined): Promise<Source> {
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
  demandInside(backup);
  const known = await segmentsIn(archive);
  const segments = runFrom(manifest.firstSegment, known);
  const last = segments.at(-1);
  if (last === undefined || last < manifest.lastSegment)
    throw new Error(`The log that belongs to ${folder} is missing in ${archive}: choose another moment.`);
  const isWhole = [...known].filter((segment) => segment >= manifest.firstSegment).length === segments.length;
  const ending = endingOf(archive);
  const isComplete = isWhole && ending !== undefined && (moment === undefined || moment <= ending.endedAt);
  return { backup, segments, endsAt: endOf(last), ending: isComplete ? ending : undefined };
}

/** @throws when a name leads out of the folders of a backup, which others may be able to write to */
function demandInside({ folder, manifest }: BaseBackup): void {
  const names = [manifest.folders, manifest.files.map(([path]) => path), manifest.beside].flat();
  const outside = names.find((name) => isAbsolute(name) || normalize(name).split(sep)[0] === "..");
  if (outside !== undefined)
    throw new Error(
      `${join(folder, manifestFile)} was tampered with: ${outside} lies outside of the backup.`,
    );
}

const options = { to: { type: "string" }, list: { type: "boolean" }, drill: { type: "boolean" } } as const;

/**
 * `npm run restore [-- --to MOMENT | --list | --drill]`: restores the database of DATA_DIR to a moment, or to the end
 * of the backup. The present one is moved aside. With `--drill` it is not touched.
 */
async function main(): Promise<void> {
  const { to, list = false, drill = false } = parseArgs({ options }).values;
  const folders = backupFolders(loadCommonConfig());
  if (list) return printList(folders);
  const moment = to === undefined ? undefined : momentOf(to);
  if (drill) return tryOut(folders, moment);
  const start = performance.now();
  lockDataDir(folders.dataDir);
  if (existsSync(folders.backupDir) && !lockFile(join(folders.backupDir, "backup.lock")))
    throw new Error(`A backup is just being made in ${folders.backupDir}. Try again after it.`);
  const present = embeddedCluster(folders.dataDir);
  await endOrphan(join(present.folder, "postmaster.pid"), present.folder, "SIGINT");
  await keepPresent(present, folders);
  const source = await chooseSource(folders.backupDir, moment);
  console.log(`Restoring from ${source.backup.folder} …`);
  const draft = await restoreBeside(present, folders, source, moment);
  await takeMissingFiles(folders, source);
  const aside = replace(present, draft);
  console.log(`Restored in ${elapsed(start)}.${aside ? ` What was there is in ${aside}.` : ""}`);
  if (aside) return backUpAnew(folders);
  // The original database may live elsewhere, and a backup of this copy would be mistaken for one of it.
  console.log(
    `There is no backup of it: make one (${toRun("backup")}) after the start if it takes the other's place.`,
  );
}

/** Restores into a folder of its own, beside a running Kept, and removes it again. */
async function tryOut(folders: BackupFolders, moment: string | undefined): Promise<void> {
  const dataDir = join(folders.dataDir, "drill");
  const start = performance.now();
  const cluster = { ...embeddedCluster(folders.dataDir), folder: join(dataDir, "postgres") };
  lockDataDir(dataDir);
  try {
    const source = await chooseSource(folders.backupDir, moment);
    await restoreBeside(cluster, { ...folders, dataDir }, source, moment);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
  console.log(`The backup is good: it was restored and removed again in ${elapsed(start)}.`);
}

function printList({ backupDir }: BackupFolders): void {
  const backups = listBaseBackups(backupDir);
  if (backups.length === 0) console.log(`There is no backup in ${backupDir}.`);
  for (const { folder, manifest } of backups) console.log(`${manifest.finishedAt}  ${folder}`);
}

/** Backs up the newest changes of the cluster to be replaced, so that they can be restored later. */
async function keepPresent({ folder }: Cluster, { backupDir }: BackupFolders): Promise<void> {
  const archive = archiveOf(folder);
  if (archive?.startsWith(`${backupDir}/`) && existsSync(archive)) await endArchive(folder, archive);
}

/** Restores into a folder beside the present cluster, which stays untouched if this fails. */
async function restoreBeside(
  present: Cluster,
  { dataDir }: BackupFolders,
  source: Source,
  moment: string | undefined,
): Promise<string> {
  const { backup, segments, ending } = source;
  const folder = `${present.folder}.restoring`;
  rmSync(folder, { recursive: true, force: true });
  const bytes = backup.manifest.files.reduce((sum, [, size]) => sum + size, 0);
  demandSpace(dataDir, bytes + segments.length * segmentBytes);
  const password = new TextDecoder().decode(await readBeside(backup, "postgres.password"));
  const cluster = { ...present, folder, password, logFile: join(dataDir, "restore.log") };
  try {
    await layOut(backup, segments, cluster);
    const recovered = await recover(cluster, moment);
    try {
      demandReached(recovered, source, moment);
      const missed = await makeUpFor(recovered.url, {
        password: present.password,
        lostBytes: source.endsAt - recovered.endsAt + (ending ? 0 : segmentBytes),
        sentUntil: ending?.lastWriteAt ?? presentMoment(),
      });
      tell(recovered, moment, missed);
    } finally {
      await recovered.stop();
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return folder;
}

/** Without a later change, the end of the log is the moment only if the archive is known to be complete. */
function demandReached(
  { isReached, lastChangeAt }: Recovered,
  { backup, ending }: Source,
  moment: string | undefined,
): void {
  if (moment === undefined) return;
  if (lastChangeAt !== undefined && lastChangeAt > moment)
    throw new Error(`PostgreSQL did not stop at ${moment} but at ${lastChangeAt}: see restore.log.`);
  if (isReached || ending) return;
  const last = lastChangeAt ?? backup.manifest.finishedAt;
  throw new Error(
    `The backup does not reach to ${moment}: its last change is of ${last}. Without --to, all that there is will be restored.`,
  );
}

function tell({ lastChangeAt }: Recovered, moment: string | undefined, missed: number): void {
  console.log(
    moment === undefined
      ? `That is all that is backed up; the last change is of ${lastChangeAt ?? "before the backup"}.`
      : `That is everything that was acknowledged before ${moment}, and nothing after it.`,
  );
  if (missed > 0)
    console.log(`${missed} reminders that may have rung since then are missed, so that none rings twice.`);
  console.log("What was deleted, forgotten, changed or revoked after that is as it was: see docs/backup.md.");
}

/** Existing files of DATA_DIR are newer and stay. The database already has the present password. */
async function takeMissingFiles({ dataDir }: BackupFolders, { backup }: Source): Promise<void> {
  for (const name of backup.manifest.beside.filter((name) => !existsSync(join(dataDir, name))))
    writeFileSync(join(dataDir, name), await readBeside(backup, name), { mode: 0o600, flush: true });
}

/**
 * A start after a crash between these steps finds the restored cluster.
 * @returns the new place of the former one
 */
function replace({ folder }: Cluster, draft: string): string | undefined {
  const restored = restoredCluster(folder);
  const aside = existsSync(folder) ? `${folder}.before-${stampOf(new Date())}` : undefined;
  rmSync(restored, { recursive: true, force: true });
  renameSync(draft, restored);
  if (aside) renameSync(folder, aside);
  renameSync(restored, folder);
  return aside;
}

/** The history of the restored cluster begins with a backup of its own. */
async function backUpAnew(folders: BackupFolders): Promise<void> {
  try {
    const postgres = await startBackedUpPostgres(folders.dataDir);
    const { folder } = await makeBaseBackup(folders, postgres.url).finally(postgres.stop);
    console.log(`A first backup of it is in ${folder}. Now start Kept.`);
  } catch (error) {
    console.error(`There is no backup of it yet (${explain(error)}).`);
  }
}

/** Recovery of a busy day's log takes minutes. */
const patienceMs = 24 * 3_600_000;

type Recovered = Readonly<{
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
async function layOut(
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
async function recover(cluster: Cluster, moment: string | undefined): Promise<Recovered> {
  const target = moment !== undefined && { recovery_target_time: settingMoment(moment) };
  const reached = target ? await runRecovery(cluster, target) : undefined;
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
const readBeside = async ({ folder }: BaseBackup, name: string): Promise<Uint8Array> =>
  Bun.zstdDecompress(await Bun.file(join(folder, "beside", packedName(name))).bytes());

await main().catch((error: Error) => {
  console.error(`Nothing was restored. ${explain(error)}`);
  process.exit(1);
});
