import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Pool } from "pg";
import type { CommonConfig } from "../process/config.ts";
import { runningDatabase } from "../process/running-database.ts";
import type { RedisConnection } from "../queue/connections.ts";

/** `look` can wait for working hours; `broken` means that a promise of the service fails. */
export const states = ["ok", "look", "broken"] as const;

export type Diagnosis = Readonly<{
  state: (typeof states)[number];
  says: string;
  /** The next step, unless all is well. */
  advice?: string;
}>;

export type Check = Readonly<{
  name: string;
  /** The check without which this one sees nothing. */
  needs?: string;
  /** It reads much, so it is made only for a person who asks. */
  isCostly?: true;
  look(): Promise<Diagnosis>;
}>;

export const ok = (says: string): Diagnosis => ({ state: "ok", says });
export const look = (says: string, advice: string): Diagnosis => ({ state: "look", says, advice });
export const broken = (says: string, advice: string): Diagnosis => ({ state: "broken", says, advice });

export const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

/** A server that takes longer counts as away. */
const patienceMs = 5_000;

/** Carries out the checks, those first that others need. */
export async function examine(checks: readonly Check[]): Promise<ReadonlyMap<string, Diagnosis>> {
  const asked = new Map<string, Promise<Diagnosis>>();
  for (const { name, needs, look: ask } of checks) asked.set(name, after(needs, asked, ask));
  return new Map(await Promise.all([...asked].map(async ([name, answer]) => [name, await answer] as const)));
}

async function after(
  needs: string | undefined,
  asked: ReadonlyMap<string, Promise<Diagnosis>>,
  ask: Check["look"],
) {
  const needed = needs === undefined ? undefined : await asked.get(needs);
  return needed?.state === "broken" ? look("unknown", `Mend ${needs} first.`) : inTime(ask);
}

const inTime = (ask: Check["look"]): Promise<Diagnosis> =>
  Promise.race([ask().catch(failed), Bun.sleep(patienceMs).then(() => silent)]);

const silent = broken(`no answer within ${patienceMs / 1_000} s`, "Look at the server and at the network.");
const failed = (error: unknown): Diagnosis => broken(reasonOf(error), "Look at the server and at its log.");

/** A refused connection to each of several addresses is an error without a message. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(", ");
  return error instanceof Error ? error.message : String(error);
}

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
