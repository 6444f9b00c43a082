import { statfsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { spoolFolder } from "../servers/archive.ts";
import { startPostgres } from "../servers/postgres.ts";
import { carry, chainOf, leaveChain } from "./chain.ts";
import { segmentBytes } from "./segments.ts";

const everyMs = 500;
/** Log that may wait for an unwritable backup folder: 1 GB, or less if the disk gets full. */
const patience = { segments: 64, freeBytes: 512 * 1024 * 1024 };

/**
 * Starts PostgreSQL as `startPostgres` does, and copies its log to the present chain of backups, if there is one. If
 * the chain cannot be written, only the log waits, no change does. Before the disk is full, the chain is given up.
 */
export async function startBackedUpPostgres(
  dataDir: string,
  report: (line: string) => void = () => {},
): ReturnType<typeof startPostgres> {
  const { url, stop } = await startPostgres(dataDir, report);
  const carrier = startCarrier(join(dataDir, "postgres"), (line) => report(`backup       ${line}`));
  return {
    url,
    async stop() {
      // The server archives its last segment when it stops.
      await stop();
      await carrier.stop();
    },
  };
}

function startCarrier(cluster: string, report: (line: string) => void): { stop(): Promise<void> } {
  let complaint: string | undefined;

  async function sweep(): Promise<void> {
    const chain = chainOf(cluster);
    if (!chain) return;
    try {
      const carried = await carry(cluster, chain);
      if (complaint !== undefined && carried > 0) {
        complaint = undefined;
        report(`the log goes to ${chain.folder} again; no change is missing in the backup`);
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== complaint)
        report(`the log cannot go to ${chain.folder} (${reason}); changes go on, but are in no backup`);
      complaint = reason;
      if (await isOutOfPatience(cluster)) {
        leaveChain(cluster);
        complaint = undefined;
        report(`given up: changes from now on are in no backup until the next npm run backup`);
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
