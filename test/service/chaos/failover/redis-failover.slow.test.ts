import { afterAll, expect, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { connectFailFast } from "../../../../shared/queue/connections.ts";
import { createDatabase } from "../../../harness.ts";
import { startRoles } from "../../../support/chaos/roles.ts";
import { callDoors } from "../../../support/chaos/world.ts";
import { writeThrough } from "../../../support/chaos/write-through.ts";
import { eventually } from "../../../support/reminder/stack.ts";
import { startCluster } from "../../../support/servers/redis-cluster.ts";
import { type RedisNode, startRedisNode } from "../../../support/servers/redis-node.ts";

const root = join(import.meta.dir, "../../../..", `data-test-redis-failover-${process.pid}`);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const prefix = "failover";

/** Two doors and two workers on a group of Redis servers. */
async function startService(redisUrl: string, nodes: readonly RedisNode[]) {
  const databaseUrl = await createDatabase();
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, QUEUE_PREFIX: prefix, LOG_LEVEL: "silent" };
  const roles = await startRoles({ env: { ...env, RATE_LIMIT_PER_MINUTE: "100000" }, apis: 2, workers: 2 });
  const sql = new SQL(databaseUrl, { max: 1 });
  afterAll(async () => {
    await sql.close();
    await roles.stop();
    for (const node of nodes) await node.kill().catch(() => {});
  });
  return { call: callDoors(roles.baseUrls, await roles.issuer.token()), sql };
}

async function startSentinels(name: string) {
  const master = await startRedisNode(join(root, name, "master"));
  const replica = await startRedisNode(join(root, name, "replica"), [`replicaof 127.0.0.1 ${master.port}`]);
  const watched = [
    `sentinel monitor kept 127.0.0.1 ${master.port} 2`,
    "sentinel down-after-milliseconds kept 1000",
    "sentinel failover-timeout kept 3000",
  ];
  const sentinels = await Promise.all(
    [1, 2, 3].map((number) =>
      startRedisNode(join(root, name, `sentinel-${number}`), watched, { sentinel: true }),
    ),
  );
  // Any of them may lead the fail-over, and none learns of the replica once the master is dead.
  for (const { send } of sentinels) {
    const knows = async (list: string, count: number) =>
      ((await send("SENTINEL", list, "kept")) as unknown[]).length >= count;
    while (!((await knows("SENTINELS", 2)) && (await knows("REPLICAS", 1)))) await Bun.sleep(100);
  }
  const logs = [1, 2, 3].map((number) => join(root, name, `sentinel-${number}`, "log"));
  const url = `redis+sentinel://${sentinels.map(({ address }) => address).join(",")}/kept`;
  return { url, master, nodes: [master, replica, ...sentinels], logs };
}

/**
 * Runs a fail-over by Sentinels. One that was not scheduled for two seconds does nothing for thirty (TILT), which says
 * nothing about Kept: then all is repeated with others.
 */
async function withSentinels(name: string, disturb: (master: RedisNode) => Promise<void>): Promise<void> {
  const { url, master, nodes, logs } = await startSentinels(name);
  const service = await startService(url, nodes);
  try {
    await expectNothingLost(service, `Sentinel, ${name}`, () => disturb(master));
  } catch (error) {
    if (!logs.some((log) => readFileSync(log, "utf8").includes("+tilt"))) throw error;
    console.log(`Repeated, because a Sentinel was in TILT: ${error}`);
    await withSentinels(`${name} again`, disturb);
  }
}

type Service = Awaited<ReturnType<typeof startService>>;

async function expectNothingLost({ call, sql }: Service, what: string, disturb: () => Promise<void>) {
  const { created, wrong, written, longestGapMs } = await writeThrough(call, disturb);
  console.log(`${what}: ${created.length} acknowledged, longest gap ${Math.round(longestGapMs)} ms`);
  expect(wrong).toEqual([]);
  const rows: { title: string }[] = await sql`select title from todos where title not like 'own of writer %'`;
  expect(rows.map(({ title }) => title).sort()).toEqual([...created]);
  for (const { toggled } of written) expect(toggled).toEqual(toggled.map((_, index) => index % 2 === 0));
  expect(longestGapMs).toBeLessThan(15_000);
}

test("a fail-over by Sentinels after kill -9 of the master loses, doubles and misreports no write", async () => {
  await withSentinels("kill -9", async (master) => {
    await master.kill();
    await Bun.sleep(4_000);
  });
}, 240_000);

test("every connection comes back after a fail-over by Sentinels", async () => {
  const { url, master, nodes } = await startSentinels("connections");
  afterAll(() => Promise.all(nodes.map((node) => node.kill().catch(() => {}))));
  const connections = Array.from({ length: 100 }, () => connectFailFast(url));
  afterAll(() => connections.map((redis) => redis.disconnect()));
  const areReady = () => connections.every(({ status }) => status === "ready");
  await eventually(areReady);
  // Subscriptions to news of a fail-over, which would end connections, need a moment.
  await Bun.sleep(2_500);
  await master.kill();
  await eventually(() => !areReady());
  await eventually(areReady, 30_000);
}, 90_000);

test("a fail-over by Sentinels after the master froze loses, doubles and misreports no write", async () => {
  await withSentinels("freezing", async (master) => {
    master.freeze();
    await Bun.sleep(5_000);
  });
}, 240_000);

test("in a Cluster, the death of the queue's master loses, doubles and misreports no write", async () => {
  const { url, masters, nodes, ownerOf } = await startCluster(join(root, "cluster"));
  const owner = masters[await ownerOf(`{${prefix}}`)];
  if (!owner) throw new Error("No master has the queue.");
  const service = await startService(url, nodes);
  await expectNothingLost(service, "Cluster, kill -9", async () => {
    await owner.kill();
    await Bun.sleep(5_000);
  });
}, 120_000);
