import { afterAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { roleUrlsOf } from "../../../../shared/process/database-roles.ts";
import { migrate } from "../../../../workers/upkeep/migrate.ts";
import { openGate } from "../../../support/chaos/gate.ts";
import { databasesOf, startRoles } from "../../../support/chaos/roles.ts";
import { callDoors } from "../../../support/chaos/world.ts";
import { writeThrough } from "../../../support/chaos/write-through.ts";
import { expectExactlyOnce, type TodoRow } from "../../../support/chaos/writer.ts";
import { createNode, createStandby, type PostgresNode } from "../../../support/servers/postgres-node.ts";
import { services } from "../../../support/servers/services.ts";

/** Milliseconds until a monitor would promote the standby. */
const detectionMs = 500;
const synchronous = { synchronous_standby_names: "FIRST 1 (standby)" };

/** A primary with a synchronous standby, and the service before them. */
async function startPair(name: string) {
  const folder = join(import.meta.dir, "../../../..", `data-test-failover-${name}-${process.pid}`);
  const primary = await createNode(join(folder, "primary"));
  await primary.start();
  await migrate(primary.url, "error", { roleUrls: roleUrlsOf(primary.url) });
  const standby = await createStandby(primary, join(folder, "standby"));
  await standby.start();
  await primary.kill();
  await primary.start(synchronous);
  while (!(await isSynchronous(primary))) await Bun.sleep(50);
  const gate = await openGate(primary.url);
  const { redisUrl } = await services();
  const env = { DATABASE_URL: gate.url, REDIS_URL: redisUrl, QUEUE_PREFIX: crypto.randomUUID() };
  const roles = await startRoles({ env, databases: databasesOf(gate.url), apis: 2, workers: 2 });
  afterAll(async () => {
    await roles.stop();
    gate.shut();
    await standby.kill().catch(() => {});
    rmSync(folder, { recursive: true });
  });
  const callAs = async (sub: string) => callDoors(roles.baseUrls, await roles.issuer.token({ sub }));
  return {
    primary,
    standby,
    call: await callAs("ada"),
    callAs,
    async promote() {
      await standby.query("select pg_promote()");
      gate.leadTo(standby.url);
    },
  };
}

async function isSynchronous(primary: PostgresNode): Promise<boolean> {
  const [row] = await primary.query("select from pg_stat_replication where sync_state = 'sync'");
  return row !== undefined;
}

const todosOn = async (node: PostgresNode) =>
  (await node.query("select id, title, is_completed from todos")) as TodoRow[];
const titlesOn = async (node: PostgresNode) => (await todosOn(node)).map(({ title }) => title).toSorted();

test("fail-over to a synchronous standby after the primary froze loses, doubles and misreports no write", async () => {
  const { primary, standby, call, promote } = await startPair("frozen");
  const { created, written, longestGapMs } = await writeThrough(call, async () => {
    primary.freeze();
    await Bun.sleep(detectionMs);
    await promote();
  });
  await primary.kill();
  expectExactlyOnce(await todosOn(standby), written);
  console.log(`${created.length} acknowledged, longest gap ${Math.round(longestGapMs)} ms`);
  expect(longestGapMs).toBeLessThan(10_000);
});

test("what waits for a standby that is dead is not acknowledged to a retry after a restart of the primary", async () => {
  const { primary, standby, callAs, promote } = await startPair("double");
  await standby.kill();
  const titles = Array.from({ length: 6 }, (_, index) => `pending ${index}`);
  // Users of their own, because a user's next command waits for the last.
  const calls = await Promise.all(titles.map(callAs));
  const sendAll = (door: number) =>
    Promise.all(
      titles.map(async (title, index) => {
        const answer = await calls[index]?.("POST", "/todos", { door, key: title, body: { title } });
        return answer?.status ?? 0;
      }),
    );
  expect(await sendAll(0)).toEqual(titles.map(() => 503));
  await primary.kill();
  await primary.start(synchronous);
  const waited = await titlesOn(primary);
  expect(waited.length).toBeGreaterThan(0);
  const retried = [...(await sendAll(0)), ...(await sendAll(1))];
  await primary.kill();
  await standby.start();
  const kept = await titlesOn(standby);
  const acknowledged = titles.filter((_, index) => [0, 6].some((from) => (retried[from + index] ?? 0) < 300));
  expect(acknowledged.filter((title) => !kept.includes(title))).toEqual([]);
  await promote();
  while ((await sendAll(1)).some((status) => status !== 201)) await Bun.sleep(100);
  expect(await titlesOn(standby)).toEqual(titles);
});
