import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "./config.ts";

const portLine = 3;

/**
 * The database's address for a command beside a running service: DATABASE_URL, else the embedded server of
 * DATA_DIR, whose port stands in the fourth line of its postmaster.pid.
 * @throws when neither is there
 */
export async function runningDatabase({
  databaseUrl,
  dataDir,
}: Pick<Config, "databaseUrl" | "dataDir">): Promise<string> {
  if (databaseUrl !== "") return databaseUrl;
  try {
    const password = (await readFile(join(dataDir, "postgres.password"), "utf8")).trim();
    const port = (await readFile(join(dataDir, "postgres", "postmaster.pid"), "utf8")).split("\n")[portLine];
    return `postgres://kept:${password}@127.0.0.1:${port}/kept`;
  } catch {
    throw new Error(`Kept is not running in ${dataDir}: start it, or name its database by DATABASE_URL.`);
  }
}
