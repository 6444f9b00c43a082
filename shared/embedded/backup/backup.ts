import { parseArgs } from "node:util";
import { isOnDiskOf } from "../../doctor/copies.ts";
import { loadCommonConfig } from "../../process/config.ts";
import { runningDatabase } from "../../process/running-database.ts";
import { elapsed, explain } from "../explain.ts";
import { backupFolders, keepNewest, makeBaseBackup, packedBytes } from "./base-backup.ts";

/**
 * `npm run backup [-- --keep N]`: makes a base backup of the running embedded database and removes all but the newest
 * N.
 */
async function main(): Promise<void> {
  const { keep } = parseArgs({ options: { keep: { type: "string" } } }).values;
  if (keep !== undefined && !/^[1-9]\d*$/.test(keep))
    throw new Error(`--keep must be the number of backups to keep, 1 or more, not "${keep}".`);
  const start = performance.now();
  const config = loadCommonConfig();
  const folders = backupFolders(config);
  const url = await runningDatabase(config);
  const { archive, folder } = await makeBaseBackup(folders, url);
  console.log(`Backed up in ${elapsed(start)}, ${(packedBytes(folder) / 1e6).toFixed(1)} MB: ${folder}`);
  if (isOnDiskOf(folders.dataDir, folders.backupDir))
    console.log(
      "It is on the disk of the data, so both would be lost at once: set BACKUP_DIR to another disk.",
    );
  console.log("Changes from here on are backed up within a minute, as long as npm start runs.");
  if (keep === undefined) return;
  const removed = keepNewest(folders.backupDir, Number(keep), archive);
  if (removed > 0) console.log(`Removed ${removed} older ${removed === 1 ? "backup" : "backups"}.`);
}

await main().catch((error) => {
  console.error(`There is no new backup. ${explain(error)}`);
  process.exit(1);
});
