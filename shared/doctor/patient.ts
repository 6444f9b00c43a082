import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Pool } from "pg";
import type { CommonConfig } from "../process/config.ts";
import { runningDatabase } from "../process/running-database.ts";
import type { RedisConnection } from "../queue/connections.ts";

type Settings = Pick<
  CommonConfig,
  | "baseUrl"
  | "databaseUrl"
  | "dataDir"
  | "backupDir"
  | "smtpUrl"
  | "mailFrom"
  | "accountMegabytes"
  | "queuePrefix"
>;

/** An installation as seen from one of its machines. */
export type Patient = Readonly<{
  config: Settings;
  /** True if the database is that of `npm start`. */
  isEmbedded: boolean;
  pool: Pick<Pool, "query">;
  redis: RedisConnection;
}>;

/** True if the database is unset or, as in a role under `npm start`, that of DATA_DIR. */
export async function usesEmbeddedDatabase({ databaseUrl, dataDir }: Settings): Promise<boolean> {
  if (databaseUrl === undefined) return true;
  const embedded = await runningDatabase({ databaseUrl: undefined, dataDir }).catch(() => undefined);
  return embedded !== undefined && new URL(databaseUrl).host === new URL(embedded).host;
}

/**
 * Finds Redis for a command beside the service: REDIS_URL, else the server of DATA_DIR.
 * @throws when there is neither
 */
export async function runningRedis({
  redisUrl,
  dataDir,
}: Pick<CommonConfig, "redisUrl" | "dataDir">): Promise<string> {
  if (redisUrl !== undefined) return redisUrl;
  const settings = await readFile(join(dataDir, "redis", "redis.conf"), "utf8").catch(() => "");
  const setting = (name: string) => new RegExp(`^${name} (.+)$`, "m").exec(settings)?.[1];
  const [port, password] = [setting("port"), setting("requirepass")];
  if (!port) throw new Error(`Kept is not running in ${dataDir}: start it, or name its Redis by REDIS_URL.`);
  return `redis://:${password}@127.0.0.1:${port}`;
}
