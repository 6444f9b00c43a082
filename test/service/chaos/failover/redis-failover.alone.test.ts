import { afterAll, expect, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { freePort } from "../../../../shared/embedded/servers/port.ts";
import { connectFailFast } from "../../../../shared/queue/connections.ts";
import { createDatabase } from "../../../harness.ts";
import { startRoles } from "../../../support/chaos/roles.ts";
import { callDoors } from "../../../support/chaos/world.ts";
import { expectNothingLost, writeThrough } from "../../../support/chaos/write-through.ts";
import { eventually } from "../../../support/reminder/stack.ts";
import { type RedisNode, startRedisNode } from "../../../support/servers/redis-node.ts";

const slots = 16_384;
const masterCount = 3;

/** Starts three masters with a replica each, in a folder. */
async function startCluster(folder: string) {
  const nodes: RedisNode[] = [];
  for (let number = 0; number < 2 * masterCount; number++) {
    const busPort = await freePort();
    const lines = ["cluster-enabled yes", `cluster-port ${busPort}`, "cluster-node-timeout 1500"];
    const node = await startRedisNode(join(folder, String(number)), lines);
    nodes.push(node);
    await nodes[0]?.send("CLUSTER", "MEET", "127.0.0.1", String(node.port), String(busPort));
  }
  const masters = nodes.slice(0, masterCount);
  const firstSlotOf = (index: number): number => Math.floor((slots * index) / masterCount);
  for (const [index, master] of masters.entries()) {
    const [from, to] = [firstSlotOf(index), firstSlotOf(index + 1) - 1];
    await master.send("CLUSTER", "ADDSLOTSRANGE", String(from), String(to));
  }
  for (const [index, replica] of nodes.slice(masterCount).entries()) {
    const id = String(await masters[index]?.send("CLUSTER", "MYID"));
    while (!String(await replica.send("CLUSTER", "NODES")).includes(id)) await Bun.sleep(100);
    await replica.send("CLUSTER", "REPLICATE", id);
  }
  for (const node of nodes) {
    while (!String(await node.send("CLUSTER", "INFO")).includes("cluster_state:ok")) await Bun.sleep(100);
    while (String(await node.send("CLUSTER", "NODES")).match(/slave/g)?.length !== masterCount)
      await Bun.sleep(100);
  }
  return {
    url: `redis+cluster://${nodes.map(({ address }) => address).join(",")}`,
    masters,
    nodes,
    /** @returns the master that has a key */
    async ownerOf(key: string): Promise<number> {
      const slot = Number(await masters[0]?.send("CLUSTER", "KEYSLOT", key));
      return masters.findLastIndex((_, index) => slot >= firstSlotOf(index));
    },
  };
}

const root = join(import.meta.dir, "../../../..", `data-test-redis-failover-${process.pid}`);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const prefix = "failover";

/** Two doors and two workers on a group of Redis servers. */
async function startService(redisUrl: string, nodes: readonly RedisNode[]) {
  const databaseUrl = await createDatabase();
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, QUEUE_PREFIX: prefix };
  const roles = await startRoles({ env: { ...env, RATE_LIMIT_PER_MINUTE: "100000" }, apis: 2, workers: 2 });
  const sql = new SQL(databaseUrl, { max: 1 });
  afterAll(async () => {
    await sql.close();
    await roles.stop();
    for (const node of nodes) await node.kill().catch(() => {});
  });
  return { call: callDoors(roles.baseUrls, await roles.issuer.token()), sql };
}

/** A master with two replicas, and three Sentinels that watch them. */
async function startSentinels(name: string) {
  const master = await startRedisNode(join(root, name, "0"));
  const follows = [`replicaof 127.0.0.1 ${master.port}`];
  const replicas = [1, 2].map((number) => startRedisNode(join(root, name, String(number)), follows));
  const servers = [master, ...(await Promise.all(replicas))];
  const watched = [
    `sentinel monitor kept 127.0.0.1 ${master.port} 2`,
    "sentinel down-after-milliseconds kept 1000",
    "sentinel failover-timeout kept 2000",
  ];
  const sentinels = await Promise.all(
    [1, 2, 3].map((number) =>
      startRedisNode(join(root, name, `sentinel-${number}`), watched, { sentinel: true }),
    ),
  );
  // Any of them may lead the fail-over, and none learns of the replicas once the master is dead.
  for (const { send } of sentinels) {
    const knows = async (list: string) => ((await send("SENTINEL", list, "kept")) as unknown[]).length === 2;
    await eventually(async () => (await knows("SENTINELS")) && (await knows("REPLICAS")));
  }
  const masterNow = async () => {
    const told = await sentinels[0]?.send("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "kept");
    const [, port] = told as string[];
    return servers.find((server) => String(server.port) === port);
  };
  return {
    url: `redis+sentinel://${sentinels.map(({ address }) => address).join(",")}/kept`,
    nodes: [...servers, ...sentinels],
    logs: [1, 2, 3].map((number) => join(root, name, `sentinel-${number}`, "log")),
    /** Ends the master, and waits until another one is chosen. */
    async failOver(end: (master: RedisNode) => void | Promise<void>): Promise<void> {
      const before = await masterNow();
      if (!before) throw new Error("There is no master.");
      await end(before);
      await eventually(async () => (await masterNow()) !== before);
      await Bun.sleep(1_000);
    },
  };
}

/**
 * Runs work with Sentinels. One that was not scheduled for two seconds does nothing for thirty (TILT), which says
 * nothing about Kept: then all is repeated with others.
 */
async function withSentinels(
  work: (sentinels: Awaited<ReturnType<typeof startSentinels>>) => Promise<void>,
  name = "sentinels",
): Promise<void> {
  const sentinels = await startSentinels(name);
  try {
    await work(sentinels);
  } catch (error) {
    if (!sentinels.logs.some((log) => readFileSync(log, "utf8").includes("+tilt"))) throw error;
    console.log(`Repeated, because a Sentinel was in TILT: ${error}`);
    await withSentinels(work, `${name} again`);
  }
}

async function writeDuring({ call }: Service, what: string, disturb: () => Promise<void>) {
  const time = await writeThrough(call, disturb);
  console.log(
    `${what}: ${time.created.length} acknowledged, longest gap ${Math.round(time.longestGapMs)} ms`,
  );
  expect(time.longestGapMs).toBeLessThan(15_000);
  return time;
}

type Service = Awaited<ReturnType<typeof startService>>;

test("fail-overs by Sentinels, after kill -9 of the master and after it froze, lose, double and misreport no write", () =>
  withSentinels(async ({ url, nodes, failOver }) => {
    const service = await startService(url, nodes);
    const connections = Array.from({ length: 100 }, () => connectFailFast(url));
    const areReady = () => connections.every(({ status }) => status === "ready");
    await eventually(areReady);
    const times = [
      await writeDuring(service, "Sentinel, kill -9", async () => {
        await failOver((master) => master.kill());
        // Every connection comes back.
        await eventually(areReady);
      }),
      await writeDuring(service, "Sentinel, freezing", () => failOver((master) => master.freeze())),
    ];
    for (const redis of connections) redis.disconnect();
    await expectNothingLost(service.sql, times);
  }));

test("in a Cluster, the death of the queue's master loses, doubles and misreports no write", async () => {
  const { url, masters, nodes, ownerOf } = await startCluster(join(root, "cluster"));
  const owner = masters[await ownerOf(`{${prefix}}`)];
  if (!owner) throw new Error("No master has the queue.");
  const service = await startService(url, nodes);
  const other = masters.find((one) => one !== owner);
  const time = await writeDuring(service, "Cluster, kill -9", async () => {
    await owner.kill();
    await eventually(async () => {
      const told = String(await other?.send("CLUSTER", "NODES"));
      return told.includes(" master,fail - ") && told.match(/ (myself,)?master - /g)?.length === 3;
    }, 30_000);
    await Bun.sleep(1_000);
  });
  await expectNothingLost(service.sql, [time]);
});
