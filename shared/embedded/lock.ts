import { Database, SQLiteError } from "bun:sqlite";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Kept here because a lock is released when it is garbage-collected. */
const held = new Set<Database>();

/**
 * Takes `dataDir` for this process until it ends. SQLite locks a file in the kernel, which releases the lock however
 * the process ends, so there are no stale locks. `kept.pid` is only for people.
 * @throws when another process has the lock.
 */
export function lockDataDir(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const pidFile = join(dataDir, "kept.pid");
  const lock = new Database(join(dataDir, "kept.lock"));
  try {
    lock.run("begin exclusive");
  } catch (error) {
    if (!(error instanceof SQLiteError && error.code === "SQLITE_BUSY")) throw error;
    const pid = readFileSync(pidFile, "utf8").trim();
    throw new Error(
      `Kept already runs on ${dataDir} (process ${pid}). Stop it first, or set another DATA_DIR.`,
    );
  }
  held.add(lock);
  writeFileSync(pidFile, `${process.pid}\n`);
}
