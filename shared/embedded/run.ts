import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type CommonConfig, loadCommonConfig } from "../process/config.ts";
import {
  type DatabaseRole,
  databaseRoles,
  type RoleUrls,
  roleSettings,
  roleUrlsOf,
} from "../process/database-roles.ts";
import { toRun } from "../process/to-run.ts";
import { feedWatchdog, sameSignalMs } from "../process/watchdog.ts";
import { startBackedUpPostgres } from "./backup/wal-archive.ts";
import { elapsed, explain } from "./explain.ts";
import { lockDataDir } from "./lock.ts";
import { launchRole, type RoleScript } from "./role-process.ts";
import { demandFree, type ListenAddress } from "./servers/port.ts";
import { startRedis } from "./servers/redis.ts";
import { supervise } from "./servers/supervisor.ts";

/** The scripts of an instance, as absolute paths. */
type Scripts = Readonly<{
  migrate: string;
  /** The roles in the order in which they stop; they start together. */
  roles: readonly RoleScript[];
}>;

/**
 * Does all of `npm start`: runs an instance until SIGINT or SIGTERM; a second one ends it at once. Everything it starts
 * is a child of this process and ends with it. If it cannot start, it prints the reason in one line and ends with exit code 1.
 */
export async function run(scriptsOf: (config: CommonConfig) => Scripts): Promise<void> {
  const start = performance.now();
  feedWatchdog(() => true);
  let instance: ReturnType<typeof createInstance> | undefined;
  try {
    const loaded = loadCommonConfig();
    const config = { ...loaded, dataDir: resolve(loaded.dataDir) };
    const running = createInstance(config, scriptsOf(config), (line) => console.log(`  ${line}`));
    instance = running;
    stopOnRequest(running);
    console.log(`Kept starts; its data is in ${config.dataDir}`);
    const details = await running.start();
    const isWhole = await isReady(config);
    console.log(
      isWhole
        ? `Ready in ${elapsed(start)}.`
        : `Kept runs, but not all of it works. Ask the doctor: ${toRun("doctor")}`,
    );
    console.log(welcome(config, details));
  } catch (error) {
    console.error(`Kept could not start. ${explain(error)}`);
    await instance?.stop();
    process.exit(1);
  }
}

const readyMs = 10_000;

/** Waits for a front door that can do everything, at most for a while. */
async function isReady({ host = "localhost", port }: CommonConfig): Promise<boolean> {
  const address = `http://${host.includes(":") ? `[${host}]` : host}:${port}/health/ready`;
  const deadline = performance.now() + readyMs;
  const ask = () => fetch(address).catch(() => undefined);
  while (!(await ask())?.ok) {
    if (performance.now() > deadline) return false;
    await Bun.sleep(20);
  }
  return true;
}

const parentCheckMs = 500;

function stopOnRequest(instance: ReturnType<typeof createInstance>): void {
  let stoppingSince: number | undefined;
  async function stop() {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > sameSignalMs) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    console.log("Stopping …");
    await instance.stop();
    console.log("Stopped.");
    process.exit(0);
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop);
  const parent = process.ppid;
  // A kill -9 of npm, which should end everything, sends no signal.
  if (process.env.npm_lifecycle_event) setInterval(() => process.ppid === parent || stop(), parentCheckMs);
}

/**
 * Prepares one whole Kept on this machine.
 * @param report receives a line for each step and each accident
 */
function createInstance(config: CommonConfig, scripts: Scripts, report: (line: string) => void) {
  const { dataDir, databaseUrl, redisUrl } = config;
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
    /**
     * Starts everything and keeps it running.
     * @returns the merged details of the roles
     * @throws with a line for people when a step fails; `stop` must still be called then
     */
    async start(): Promise<Record<string, string>> {
      lockDataDir(dataDir);
      await Promise.all(addressesOf(config).map(demandFree));
      const [database, redis] = await Promise.all([
        databaseUrl ? { url: databaseUrl } : step("PostgreSQL", startBackedUpPostgres(dataDir, report)),
        redisUrl
          ? usable(redisUrl, config.queuePrefix)
          : step("Redis", startRedis(dataDir, report, { endsHanging: true })),
      ]);
      const env = {
        ...process.env,
        DATA_DIR: dataDir,
        DATABASE_URL: database.url,
        REDIS_URL: redis.url,
      };
      const urls = databaseUrl ? config.roleUrls : roleUrlsOf(database.url);
      await step("migrations", migrate(scripts.migrate, { ...env, ...roleEnvironment(urls) }));
      const details = await Promise.all(
        scripts.roles.map((role) =>
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
    /** Stops what runs: the roles, then Redis, then PostgreSQL. */
    async stop(): Promise<void> {
      for (const name of [...scripts.roles.map((role) => role.name), "Redis", "PostgreSQL"]) {
        const stopOne = stops.get(name);
        if (!stopOne) continue;
        await stopOne();
        report(`${name.padEnd(12)} stopped`);
      }
    },
  };
}

function addressesOf({ host, port, workerPort, workers }: CommonConfig): ListenAddress[] {
  const hosts = host ? [host] : ["127.0.0.1", "::1"];
  const addresses = [{ setting: "PORT", port, hosts }];
  for (let number = 0; workerPort !== 0 && number < Math.max(1, workers); number++)
    addresses.push({ setting: "WORKER_PORT", port: workerPort + number, hosts: hosts.slice(0, 1) });
  return addresses;
}

type Environment = Record<string, string | undefined>;

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

/** @throws when Redis cannot be used: without it no change is accepted. Its client takes 10 MB and is loaded only here. */
async function usable(url: string, queuePrefix: string): Promise<{ url: string }> {
  const { connectFailFast } = await import("../queue/connections.ts");
  const { problemOfRedis, sentenceOf } = await import("../queue/redis-check.ts");
  const redis = connectFailFast(url);
  const problem = sentenceOf(await problemOfRedis(redis, queuePrefix));
  redis.disconnect();
  if (problem) throw new Error(problem);
  return { url };
}

async function migrate(script: string, env: Environment): Promise<{ stop?: never }> {
  const child = Bun.spawn([process.execPath, script], { env, stdio: ["ignore", "inherit", "inherit"] });
  const code = await child.exited;
  if (code !== 0) throw new Error("The database could not be brought up to date.");
  return {};
}

type Details = Record<string, string>;

/**
 * The last lines of `npm start`: the addresses, how to sign in and a first call to paste. The identity provider reports
 * the owner's password and token only once, at the first start.
 */
export function welcome(config: CommonConfig, details: Details): string {
  const { baseUrl, dataDir } = config;
  return [
    "",
    `REST      ${baseUrl}/api/v1`,
    `MCP       ${baseUrl}/mcp`,
    `Account   ${baseUrl}/account`,
    `Agents    ${baseUrl}/account/connect`,
    "",
    ...firstCall(config, details),
    "",
    ...(config.builtInIdentity
      ? [`For a link that signs the owner in: ${besideIt(dataDir)}${toRun("owner")}`, ""]
      : []),
  ].join("\n");
}

/** Tells commands that run beside this one the data folder, unless it is the default. */
const besideIt = (dataDir: string): string => (dataDir === resolve("./data") ? "" : `DATA_DIR='${dataDir}' `);

function firstCall(config: CommonConfig, details: Details): string[] {
  const { baseUrl, dataDir, authUrl, builtInIdentity } = config;
  const { owner_email, owner_password, owner_token, former_address } = details;
  const call = (token: string) => `  curl -H "Authorization: Bearer ${token}" ${baseUrl}/api/v1/dashboard`;
  if (owner_token)
    return [
      "The owner's account, told this once:",
      `  e-mail    ${owner_email}`,
      `  password  ${owner_password}`,
      `  token     ${owner_token}`,
      "",
      "Try it:",
      call(owner_token),
    ];
  const withNew = [
    `Try it with a token from ${builtInIdentity ? `${baseUrl}/profile/api-tokens` : authUrl}:`,
    call("…"),
  ];
  if (former_address)
    return [`Tokens made for ${former_address} are refused, unless AUTH_AUDIENCE names it.`, ...withNew];
  const tokenFile = join(dataDir, "owner-token");
  if (builtInIdentity && existsSync(tokenFile))
    return [`The owner's token is in ${tokenFile}. Try it:`, call(`$(cat '${tokenFile}')`)];
  return withNew;
}
