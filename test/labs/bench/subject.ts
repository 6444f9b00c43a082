import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { databasesOf, startRoles } from "../../support/chaos/roles.ts";
import { temporaryFolder } from "../../support/folder.ts";
import type { Services } from "../../support/servers/services.ts";
import { userAt } from "./seed.ts";

/** One version of the service that is running, with users in a database of its own. */
export type Subject = Readonly<{
  databaseUrl: string;
  port: number;
  /** The issuer of signed tokens; the bare server cannot use opaque ones. */
  issuerUrl: string | undefined;
  callers: readonly Caller[];
  stop(): Promise<void>;
}>;

/** A user who sends requests, by the index among all users. */
type Caller = Readonly<{ index: number; token: string }>;

export const ownRoot = join(import.meta.dir, "../../..");

/** A thousand users fill every cache as a hundred thousand do, and their requests fit into the load generator. */
const maxCallers = 1_000;

/** Starts the version that lies in `root`, with its own migrations and its own users. */
export async function startSubject(
  root: string,
  services: Services,
  { users }: Readonly<{ users: number }>,
): Promise<Subject> {
  const queuePrefix = `bench_${crypto.randomUUID().replaceAll("-", "")}`;
  const databaseUrl = await newDatabase(services.databaseUrl, queuePrefix);
  const env = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: services.redisUrl,
    QUEUE_PREFIX: queuePrefix,
    RATE_LIMIT_PER_MINUTE: "0",
    MCP_RATE_LIMIT_PER_MINUTE: "0",
    LOG_LEVEL: "warn",
  };
  await runIn(root, env, ["run", "migrate"]);
  const seeding = `(await import("./test/labs/bench/seed.ts")).seed("${databaseUrl}", ${users})`;
  await runIn(root, env, ["-e", seeding]);
  const { baseUrls, issuer, stop } = await startRoles({ env, databases: databasesOf(databaseUrl), root });
  const [aud = ""] = baseUrls;
  const count = Math.min(users, maxCallers);
  const callers = await Promise.all(
    Array.from({ length: count }, async (_, nth) => {
      const index = Math.floor((nth * users) / count);
      return { index, token: await issuer.token({ sub: userAt(index), aud }) };
    }),
  );
  return { databaseUrl, port: Number(new URL(aud).port), issuerUrl: issuer.url, callers, stop };
}

/** Makes an empty database on a server. @returns its address */
export async function newDatabase(serverUrl: string, name: string): Promise<string> {
  await using sql = new SQL(serverUrl, { max: 1 });
  await sql.unsafe(`create database ${name}`);
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}

async function runIn(root: string, env: Record<string, string>, args: readonly string[]): Promise<void> {
  const child = Bun.spawn([process.execPath, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "inherit"],
  });
  if ((await child.exited) !== 0) throw new Error(`${args[0]} failed in ${root}`);
}

/** Another commit's files in a temporary folder, with the packages of this one. */
export async function checkOut(commit: string): Promise<{ root: string; remove(): Promise<void> }> {
  const root = join(temporaryFolder("bench"), "tree");
  await Bun.$`git worktree add --detach ${root} ${commit}`.cwd(ownRoot).quiet();
  symlinkSync(join(ownRoot, "node_modules"), join(root, "node_modules"));
  return {
    root,
    async remove() {
      rmSync(join(root, ".."), { recursive: true, force: true });
      await Bun.$`git worktree prune`.cwd(ownRoot).quiet();
    },
  };
}
