import { statfsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { toRun } from "../../process/to-run.ts";
import { spoolFolder } from "../servers/archive.ts";
import { startPostgres } from "../servers/postgres.ts";
import { archiveOf, archiveSegments, leaveArchive } from "./wal-archive.ts";
import { segmentBytes } from "./wal-segments.ts";

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
        report(`the log goes to ${archive.folder} again; no change is missing in the backup`);
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== complaint)
        report(`the log cannot go to ${archive.folder} (${reason}); changes go on, but are in no backup`);
      complaint = reason;
      if (await isOutOfPatience(cluster)) {
        leaveArchive(cluster);
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
