import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { migrate } from "../../workers/upkeep/migrate.ts";
import { descendants } from "../support/chaos/descendants.ts";
import { type Roles, startRoles } from "../support/chaos/roles.ts";
import { createNode, createStandby, type PostgresNode } from "../support/servers/postgres-node.ts";
import { startServices } from "../support/servers/services.ts";
import { measure } from "./bench/load/measure.ts";
import { type Scenario, scenarios, sequencesOf } from "./bench/scenarios.ts";
import { perUser, seed, userAt } from "./bench/seed.ts";

/** `npm run lab -- standby --seconds 5`: measures what reads from a standby save at the primary, and cost elsewhere. */
const { values } = parseArgs({ options: { seconds: { type: "string", default: "5" } } });
const seconds = Number(values.seconds);
const [users, connections, warmUpSeconds] = [500, 24, 1];

const toggleAndRead: Scenario = {
  name: "toggle, get",
  requests: ({ todo }) => [
    { method: "POST", path: `/api/v1/todos/${todo}/toggle` },
    { method: "GET", path: `/api/v1/todos/${todo}` },
  ],
};
const measured = [...scenarios.filter(({ name }) => ["list", "get"].includes(name)), toggleAndRead];

const services = await startServices();
const folder = join(import.meta.dir, "../..", `data-test-bench-standby-${process.pid}`);
const primary = await createNode(join(folder, "primary"));
await primary.start();
await migrate(primary.url, "error");
await seed(primary.url, users);
const standby = await createStandby(primary, join(folder, "standby"));
await standby.start();

const manners: Record<string, Record<string, string>> = {
  "no standby": {},
  async: { READ_DATABASE_URL: standby.url },
  remote_apply: { READ_DATABASE_URL: standby.url, READ_DATABASE_SYNC: "remote_apply" },
};

/** Processor time of a server and its sessions so far (ms). */
function cpuOf({ cluster }: PostgresNode): number {
  const postmaster = Number.parseInt(readFileSync(join(cluster.folder, "postmaster.pid"), "utf8"), 10);
  return descendants()
    .filter(({ pid, parent }) => pid === postmaster || parent === postmaster)
    .reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

async function setPrimary(manner: string): Promise<void> {
  const applies = manner === "remote_apply";
  await primary.query(`alter system set synchronous_standby_names = '${applies ? "FIRST 1 (standby)" : ""}'`);
  await primary.query(`alter system set synchronous_commit = '${applies ? "remote_apply" : "on"}'`);
  await primary.query("select pg_reload_conf()");
}

async function measureOne(roles: Roles, scenario: Scenario) {
  const [aud = ""] = roles.baseUrls;
  const port = Number(new URL(aud).port);
  const callers = await Promise.all(
    Array.from({ length: users }, async (_, index) => ({
      index,
      token: await roles.issuer.token({ sub: userAt(index), aud }),
    })),
  );
  const subject = { callers, todosPerUser: perUser } as never;
  const sequences = sequencesOf(scenario, subject, port);
  const before = [cpuOf(primary), cpuOf(standby)];
  const result = await measure({ port, connections, warmUpSeconds, seconds, sequences });
  const share = result.requests * (1 + warmUpSeconds / seconds);
  const [ofPrimary = 0, ofStandby = 0] = [cpuOf(primary), cpuOf(standby)].map(
    (after, index) => ((after - (before[index] ?? 0)) * 1000) / share,
  );
  return { ...result, ofPrimary, ofStandby };
}

console.log(
  "| scenario | reads | requests/s | p50 ms | µs: front door | workers | Redis | primary | standby |\n|---|---|---|---|---|---|---|---|---|",
);
for (const [manner, env] of Object.entries(manners)) {
  await setPrimary(manner);
  const common = {
    DATABASE_URL: primary.url,
    REDIS_URL: services.redisUrl,
    QUEUE_PREFIX: `bench-${crypto.randomUUID()}`,
    RATE_LIMIT_PER_MINUTE: "0",
    LOG_LEVEL: "warn",
  };
  const roles = await startRoles({ env: { ...common, ...env } });
  await Bun.sleep(1_500);
  for (const scenario of measured) {
    const { perSecond, p50, cpu, ofPrimary, ofStandby } = await measureOne(roles, scenario);
    const figures = [perSecond, p50 * 10, cpu.api, cpu.workers, cpu.redis, ofPrimary, ofStandby].map(
      Math.round,
    );
    figures[1] = (figures[1] ?? 0) / 10;
    console.log(`| ${scenario.name} | ${manner} | ${figures.join(" | ")} |`);
  }
  await roles.stop();
}
for (const node of [standby, primary]) await node.kill();
rmSync(folder, { recursive: true });
await services.stop();
process.exit(0);
