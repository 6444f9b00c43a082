import { afterAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import { contracts } from "../../../../shared/contracts/catalogue.ts";
import { roleUrlsOf } from "../../../../shared/process/database-roles.ts";
import { migrate } from "../../../../workers/upkeep/migrate.ts";
import { openGate } from "../../../support/chaos/gate.ts";
import { readBack } from "../../../support/chaos/read-back.ts";
import { databasesOf, type Roles, startRoles } from "../../../support/chaos/roles.ts";
import { callDoors } from "../../../support/chaos/world.ts";
import { agent } from "../../../support/mcp.ts";
import { createNode, createStandby } from "../../../support/servers/postgres-node.ts";
import { services } from "../../../support/servers/services.ts";

/** `npm run lab -- standby-reads` reads 2,000 times in each way. */
const reads = Number(Bun.env.READS ?? 200);
const folder = join(import.meta.dir, "../../../..", `data-test-standby-reads-${process.pid}`);

const primary = await createNode(join(folder, "primary"));
await primary.start();
await migrate(primary.url, "error", { roleUrls: roleUrlsOf(primary.url) });
const standby = await createStandby(primary, join(folder, "standby"));
await standby.start();
const { redisUrl } = await services();
const gate = await openGate(redisUrl);
const roles = await startDoors("asynchronous", {});
afterAll(async () => {
  await roles.stop();
  gate.shut();
  for (const node of [standby, primary]) await node.kill().catch(() => {});
  rmSync(folder, { recursive: true });
});

/** Two front doors that read from the standby, and a worker. */
async function startDoors(queuePrefix: string, env: Record<string, string>): Promise<Roles> {
  const common = {
    DATABASE_URL: primary.url,
    READ_DATABASE_URL: roleUrlsOf(standby.url).door,
    REDIS_URL: gate.url,
    QUEUE_PREFIX: queuePrefix,
    RATE_LIMIT_PER_MINUTE: "0",
    MCP_RATE_LIMIT_PER_MINUTE: "0",
    LOG_LEVEL: "silent",
  };
  const databases = databasesOf(primary.url);
  const started = await startRoles({ env: { ...common, ...env }, databases, apis: 2 });
  await untilUsed(started);
  return started;
}

/** The number of read statements that the standby answered for all doors, or another outcome of them. */
async function count({ baseUrls }: Roles, outcome = "answered"): Promise<number> {
  const texts = await Promise.all(baseUrls.map(async (url) => (await fetch(`${url}/metrics`)).text()));
  const line = new RegExp(`kept_standby_reads_total{outcome="${outcome}"} (\\d+)`);
  return texts.reduce((sum, text) => sum + Number(line.exec(text)?.[1] ?? 0), 0);
}

/** Reads at each door until the standby answers at both. */
async function untilUsed(doors: Roles): Promise<void> {
  const call = callDoors(doors.baseUrls, await doors.issuer.token({ sub: "nobody" }));
  for (;;) {
    const before = await count(doors);
    for (const door of [0, 1]) await call("GET", "/categories", { door });
    if ((await count(doors)) === before + 2) return;
    await Bun.sleep(50);
  }
}

/** Sets how long after its commit the standby shows a change (ms). */
const delayStandby = async (ms: number): Promise<void> => {
  await standby.query(`alter system set recovery_min_apply_delay = '${ms}ms'`);
  await standby.query("select pg_reload_conf()");
};

test("what a caller has changed is seen at the other door at once, though the standby follows later", async () => {
  const before = await count(roles);
  const { stale, missing, total, refused } = await readBack(roles, { reads, standbyUrl: standby.url });
  const answered = (await count(roles)) - before;
  console.log(
    `async: ${stale} of ${total} stale, ${answered} answered by the standby, which lacked ${missing}; ${refused} refused`,
  );
  expect(stale).toBe(0);
  expect(answered).toBeGreaterThan(0.9 * total);
}, 240_000);

test("a read waits for a standby that is a little behind, and asks the primary where it is far behind", async () => {
  await delayStandby(120);
  const waited = await readBack(roles, { reads: 60, standbyUrl: standby.url });
  expect(waited.stale).toBe(0);
  expect(waited.missing).toBeGreaterThan(waited.total / 2);
  const [behind, answered] = [await count(roles, "behind"), await count(roles)];
  expect(answered).toBeGreaterThan(0);
  await delayStandby(2_000);
  const { stale, total } = await readBack(roles, { reads: 30, standbyUrl: standby.url });
  expect(stale).toBe(0);
  expect((await count(roles, "behind")) - behind).toBe(total);
  expect(await count(roles)).toBe(answered);
  await delayStandby(0);
  await untilUsed(roles);
}, 60_000);

test("every query is answered by the standby, but for the cursors of changes and the state of approvals", async () => {
  const call = callDoors(roles.baseUrls, await roles.issuer.token({ sub: "reader" }));
  const make = async (path: string, body: object): Promise<number | string> =>
    (await call("POST", path, { body })).body.id;
  const ids: Record<string, number | string> = {
    habit_id: await make("/habits", { name: "Read", type: "good", frequency: "daily" }),
    todo_id: await make("/todos", { title: "Read", due_date: "2030-01-01" }),
    category_id: await make("/categories", { name: "Reading" }),
    webhook_id: await make("/webhooks", { url: "https://receiver.example", events: ["reminder.due"] }),
    approval_id: crypto.randomUUID(),
  };
  const approval = `/approvals/${ids.approval_id}`;
  await call("PUT", `/todos/${ids.todo_id}/reminder`, { body: { remind_at: "2030-01-01T10:00:00Z" } });
  const paths = contracts.flatMap(({ kind, rest = [] }) =>
    kind === "query"
      ? rest.flatMap(({ path, streams }) =>
          streams ? [] : path.replace(/{(\w+)}/g, (_, name) => String(ids[name])),
        )
      : [],
  );
  const atPrimary: string[] = [];
  const asked = paths.map((path) => (path === "/quick-add" ? "/quick-add?line=Read" : path));
  for (const path of [...asked, "/todos?q=rea&page=2", "/todos?status=all"]) {
    const before = await count(roles);
    expect([path, (await call("GET", path)).status]).toEqual([path, path === approval ? 404 : 200]);
    if ((await count(roles)) === before) atPrimary.push(path);
  }
  expect(atPrimary.toSorted()).toEqual([approval, "/changes"]);
  expect(await count(roles, "failed")).toBe(0);
}, 30_000);

test("an agent finds at the other door what it has just changed", async () => {
  const [first, second] = await Promise.all(
    roles.baseUrls.map((baseUrl) => agent({ config: { baseUrl }, issuer: roles.issuer }, { sub: "agent" })),
  );
  await delayStandby(120);
  const before = await count(roles);
  for (let turn = 0; turn < 8; turn++) {
    const [writer, reader] = turn % 2 === 0 ? [first, second] : [second, first];
    await writer?.call("create-todo", { title: `Buy bread ${turn}` });
    expect((await reader?.call("get-pending-todos"))?.text).toContain(`Buy bread ${turn}`);
  }
  expect((await count(roles)) - before).toBeGreaterThan(4);
  await delayStandby(0);
}, 30_000);

test("reads are answered while the standby is frozen or dead, and by the standby when it is back", async () => {
  const call = callDoors(roles.baseUrls, await roles.issuer.token({ sub: "patient" }));
  /** @returns the time of the slowest read (ms) */
  const readFor = async (ms: number): Promise<number> => {
    let slowest = 0;
    const until = performance.now() + ms;
    const reader = async (door: number) => {
      while (performance.now() < until) {
        const began = performance.now();
        expect((await call("GET", "/todos", { door })).status).toBe(200);
        slowest = Math.max(slowest, performance.now() - began);
      }
    };
    await Promise.all([0, 1, 2, 3].map(reader));
    return slowest;
  };
  standby.freeze();
  const frozen = await readFor(1_500);
  expect(await count(roles, "away")).toBeGreaterThan(0);
  standby.thaw();
  await untilUsed(roles);
  await standby.kill();
  const dead = await readFor(500);
  await standby.start();
  await untilUsed(roles);
  console.log(`slowest read: ${Math.round(frozen)} ms while it froze, ${Math.round(dead)} ms while it died`);
  expect(Math.max(frozen, dead)).toBeLessThan(2_000);
}, 60_000);

test("without Redis nobody knows what was changed last, so the primary is asked", async () => {
  const call = callDoors(roles.baseUrls, await roles.issuer.token({ sub: "patient" }));
  const [answered, unknown] = [await count(roles), await count(roles, "unknown")];
  gate.shut();
  for (const door of [0, 1]) expect((await call("GET", "/habits", { door })).status).toBe(200);
  expect([await count(roles), await count(roles, "unknown")]).toEqual([answered, unknown + 2]);
  gate.open();
  await untilUsed(roles);
}, 30_000);

test("commits that wait for the standby leave nothing to wait for, and a promise that is not kept is noticed", async () => {
  const set = async (settings: Record<string, string>) => {
    for (const [name, value] of Object.entries(settings))
      await primary.query(`alter system set ${name} = '${value}'`);
    await primary.query("select pg_reload_conf()");
  };
  await set({ synchronous_standby_names: "FIRST 1 (standby)", synchronous_commit: "remote_apply" });
  const doors = await startDoors("applied", { READ_DATABASE_SYNC: "remote_apply" });
  const before = await count(doors);
  const { stale, missing, total } = await readBack(doors, { reads, standbyUrl: standby.url });
  const answered = (await count(doors)) - before;
  console.log(
    `remote_apply: ${stale} of ${total} stale, ${answered} answered by the standby, which lacked ${missing}`,
  );
  expect([stale, missing, answered]).toEqual([0, 0, total]);
  const redis = new Redis(redisUrl);
  expect(await redis.keys("{applied}:written:*")).toEqual([]);
  redis.disconnect();
  await set({ synchronous_commit: "on" });
  const call = callDoors(doors.baseUrls, await doors.issuer.token({ sub: "patient" }));
  while ((await count(doors, "away")) === 0) {
    await call("GET", "/habits");
    await Bun.sleep(50);
  }
  await doors.stop();
}, 240_000);
