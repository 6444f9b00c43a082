import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CommonConfig } from "./config.ts";

const portLine = 3;

/**
 * Finds the database for a command beside the service: DATABASE_URL, else the embedded server of DATA_DIR, whose
 * postmaster.pid has the port in its fourth line.
 * @throws when there is neither.
 */
export async function runningDatabase({
  databaseUrl,
  dataDir,
}: Pick<CommonConfig, "databaseUrl" | "dataDir">): Promise<string> {
  if (databaseUrl !== undefined) return databaseUrl;
  try {
    const password = (await readFile(join(dataDir, "postgres.password"), "utf8")).trim();
    const port = (await readFile(join(dataDir, "postgres", "postmaster.pid"), "utf8")).split("\n")[portLine];
    return `postgres://kept:${password}@127.0.0.1:${port}/kept`;
  } catch {
    throw new Error(`Kept is not running in ${dataDir}: start it, or name its database by DATABASE_URL.`);
  }
}
