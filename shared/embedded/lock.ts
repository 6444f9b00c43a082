import { Database, SQLiteError } from "bun:sqlite";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Locks are kept here, because a garbage-collected one is released. */
const held = new Map<string, Database>();

/**
 * Locks `dataDir` until this process ends. `kept.pid` is only for people.
 * @throws when another process has the lock.
 */
export function lockDataDir(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const pidFile = join(dataDir, "kept.pid");
  if (!lockFile(join(dataDir, "kept.lock"))) {
    const pid = readFileSync(pidFile, "utf8").trim();
    throw new Error(
      `Kept already runs on ${dataDir} (process ${pid}). Stop it first, or set another DATA_DIR.`,
    );
  }
  writeFileSync(pidFile, `${process.pid}\n`);
}

/**
 * Locks a file until this process ends. SQLite locks it in the kernel, which releases it with the process, so there are
 * no stale locks.
 * @returns false when another process has it
 */
export function lockFile(path: string): boolean {
  if (held.has(path)) return true;
  const lock = new Database(path);
  try {
    lock.run("begin exclusive");
  } catch (error) {
    if (!(error instanceof SQLiteError && error.code === "SQLITE_BUSY")) throw error;
    return false;
  }
  held.set(path, lock);
  return true;
}
