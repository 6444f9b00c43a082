import {
  type DatabaseRole,
  databaseRoles,
  type RoleUrls,
  roleSettings,
  roleUrlsOf,
} from "../process/database-roles.ts";
import { startBackedUpPostgres } from "./backup/archive-wal.ts";
import { lockDataDir } from "./lock.ts";
import { launchRole, type RoleScript } from "./role-process.ts";
import { elapsed } from "./servers/elapsed.ts";
import { demandFree, type ListenAddress } from "./servers/port.ts";
import { startRedis } from "./servers/redis.ts";
import { supervise } from "./servers/supervisor.ts";

/** The parts of one `npm start`. Scripts are absolute paths. */
export type Plan = Readonly<{
  dataDir: string;
  /** Undefined starts an embedded server. */
  databaseUrl: string | undefined;
  /** Addresses of the roles in that server. */
  roleUrls: RoleUrls;
  redisUrl: string | undefined;
  /** The addresses that the roles will listen on. */
  addresses: readonly ListenAddress[];
  /** A script that migrates the database and ends. */
  migrate: string;
  /** The roles in the order in which they stop; they start together. */
  roles: readonly RoleScript[];
}>;

export type Instance = Readonly<{
  /**
   * Starts everything and keeps it running.
   * @returns the merged details of the roles
   * @throws with a line for people when a step fails; `stop` must still be called then
   */
  start(): Promise<Record<string, string>>;
  /** Stops what runs: the roles, then Redis, then PostgreSQL. */
  stop(): Promise<void>;
}>;

/**
 * Prepares one whole Kept on this machine.
 * @param report receives a line for each step and each accident
 */
export function createInstance(plan: Plan, report: (line: string) => void): Instance {
  const stops = new Map<string, () => Promise<void>>();

  async function step<Started extends { stop?(): Promise<void> }>(name: string, work: Promise<Started>) {
    const start = performance.now();
    const started = await withProgress(work, () => report(`${name.padEnd(12)} … ${elapsed(start)} so far`));
    if (started.stop) stops.set(name, started.stop);
    report(`${name.padEnd(12)} ${elapsed(start)}`);
    return started;
  }

  async function startRole(role: RoleScript, env: Environment) {
    const launch = async () => launchRole(role, env, { endsHanging: true });
    const { details } = await step(role.name, supervise({ name: role.name, launch, report }));
    return details;
  }

  return {
    async start() {
      lockDataDir(plan.dataDir);
      await Promise.all(plan.addresses.map(demandFree));
      const [database, redis] = await Promise.all([
        plan.databaseUrl
          ? { url: plan.databaseUrl }
          : step("PostgreSQL", startBackedUpPostgres(plan.dataDir, report)),
        plan.redisUrl
          ? answering(plan.redisUrl)
          : step("Redis", startRedis(plan.dataDir, report, { endsHanging: true })),
      ]);
      const env = {
        ...process.env,
        DATA_DIR: plan.dataDir,
        DATABASE_URL: database.url,
        REDIS_URL: redis.url,
      };
      const urls = plan.databaseUrl ? plan.roleUrls : roleUrlsOf(database.url);
      await step("migrations", migrate(plan.migrate, { ...env, ...roleEnvironment(urls) }));
      const details = await Promise.all(
        plan.roles.map((role) =>
          startRole(role, {
            ...env,
            ...roleEnvironment(urls, role.databases),
            DATABASE_URL: urls[role.databases[0]] ?? database.url,
            ...role.env,
          }),
        ),
      );
      return Object.assign({}, ...details);
    },
    async stop() {
      for (const name of [...plan.roles.map((role) => role.name), "Redis", "PostgreSQL"]) {
        const stopOne = stops.get(name);
        if (!stopOne) continue;
        await stopOne();
        report(`${name.padEnd(12)} stopped`);
      }
    },
  };
}

type Environment = Record<string, string | undefined>;

/** The settings with the addresses of these roles alone. */
const roleEnvironment = (urls: RoleUrls, roles: readonly DatabaseRole[] = databaseRoles): Environment =>
  Object.fromEntries(
    databaseRoles.map((role) => [roleSettings[role], roles.includes(role) ? urls[role] : undefined]),
  );

/** Reports after a second, and then every five, that the work still goes on. */
async function withProgress<Result>(work: Promise<Result>, report: () => void): Promise<Result> {
  let timer = setTimeout(function again() {
    report();
    timer = setTimeout(again, 5_000);
  }, 1_000);
  return work.finally(() => clearTimeout(timer));
}

/** @throws when Redis does not answer: without it no change is accepted */
async function answering(url: string): Promise<{ url: string }> {
  // A Redis of its own needs no client here.
  const { connectFailFast, firstTry } = await import("../queue/connections.ts");
  const redis = connectFailFast(url);
  let failure: Error | undefined;
  redis.once("error", (error) => {
    failure = error;
  });
  try {
    await firstTry(redis);
    await redis.ping();
    return { url };
  } catch (error) {
    const reason = failure?.message ?? String(error);
    throw new Error(`Redis does not answer at the address in REDIS_URL: ${reason}.`);
  } finally {
    redis.disconnect();
  }
}

async function migrate(script: string, env: Environment): Promise<{ stop?: never }> {
  const child = Bun.spawn([process.execPath, script], { env, stdio: ["ignore", "inherit", "inherit"] });
  const code = await child.exited;
  if (code !== 0) throw new Error("The database could not be brought up to date.");
  return {};
}
