import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { startRoles } from "../support/roles.ts";
import type { Services } from "../support/services.ts";
import { userAt } from "./seed.ts";

/** One version of the service that is running, with users in a database of its own. */
export type Subject = Readonly<{
  databaseUrl: string;
  port: number;
  issuerUrl: string;
  /** One of each user. */
  tokens: readonly string[];
  stop(): Promise<void>;
}>;

export const ownRoot = join(import.meta.dir, "../..");

/** Starts the version that lies in `root`, with its own migrations and its own users. */
export async function startSubject(root: string, services: Services, users: number): Promise<Subject> {
  const databaseUrl = await createDatabase(services.databaseUrl);
  const env = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: services.redisUrl,
    QUEUE_PREFIX: `bench-${crypto.randomUUID()}`,
    RATE_LIMIT_PER_MINUTE: "0",
    LOG_LEVEL: "warn",
  };
  await runIn(root, env, ["shared/db/migrate.ts"]);
  await runIn(root, env, [
    "-e",
    `(await import("./test/bench/seed.ts")).seed(process.env.DATABASE_URL, ${users})`,
  ]);
  const { baseUrls, issuer, stop } = await startRoles({ env, root });
  const [aud = ""] = baseUrls;
  const tokens = await Promise.all(
    Array.from({ length: users }, (_, index) => issuer.token({ sub: userAt(index), aud })),
  );
  return { databaseUrl, port: Number(new URL(aud).port), issuerUrl: issuer.url, tokens, stop };
}

async function createDatabase(serverUrl: string): Promise<string> {
  const name = `bench_${crypto.randomUUID().replaceAll("-", "")}`;
  const sql = new SQL(serverUrl, { max: 1 });
  await sql.unsafe(`create database ${name}`);
  await sql.close();
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
  const root = join(mkdtempSync(join(tmpdir(), "kept-bench-")), "tree");
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
