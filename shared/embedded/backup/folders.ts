import { join, resolve } from "node:path";
import type { CommonConfig } from "../../process/config.ts";

/** The data folder of an embedded database and the folder of its backups, as absolute paths. */
export type BackupFolders = Readonly<{ dataDir: string; backupDir: string }>;

/** @throws when the database is not an embedded one */
export function backupFolders({ databaseUrl, dataDir, backupDir }: CommonConfig): BackupFolders {
  if (databaseUrl !== undefined)
    throw new Error("DATABASE_URL names a server of yours, which has tools of its own: see docs/backup.md.");
  return { dataDir: resolve(dataDir), backupDir: resolve(backupDir ?? join(dataDir, "backup")) };
}
