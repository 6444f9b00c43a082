import { afterAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { contracts } from "../../../../shared/contracts/catalogue.ts";
import { roleUrlsOf } from "../../../../shared/process/database-roles.ts";
import { migrate } from "../../../../workers/upkeep/migrate.ts";
import { databasesOf, startRoles } from "../../../support/chaos/roles.ts";
import { callDoors } from "../../../support/chaos/world.ts";
import { createNode, createStandby } from "../../../support/servers/postgres-node.ts";
import { services } from "../../../support/servers/services.ts";

const folder = join(import.meta.dir, "../../../..", `data-test-standby-reads-${process.pid}`);
const primary = await createNode(join(folder, "primary"));
await primary.start();
await migrate(primary.url, "error", { roleUrls: roleUrlsOf(primary.url) });
const standby = await createStandby(primary, join(folder, "standby"));
await standby.start();
await setPrimary({ synchronous_commit: "remote_apply", synchronous_standby_names: "FIRST 1 (standby)" });
const { redisUrl } = await services();
/** Two front doors that read from the standby, and a worker. */
const roles = await startRoles({
  env: {
    DATABASE_URL: primary.url,
    READ_DATABASE_URL: roleUrlsOf(standby.url).door,
    REDIS_URL: redisUrl,
    QUEUE_PREFIX: crypto.randomUUID(),
  },
  databases: databasesOf(primary.url),
  apis: 2,
});
const call = callDoors(roles.baseUrls, await roles.issuer.token({ sub: "reader" }));
afterAll(async () => {
  await roles.stop();
  for (const node of [standby, primary]) await node.kill().catch(() => {});
  rmSync(folder, { recursive: true });
});

async function setPrimary(settings: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(settings))
    await primary.query(`alter system set ${name} = '${value}'`);
  await primary.query("select pg_reload_conf()");
}

/** The number of statements that this server answered for all doors. */
async function count(server: "standby" | "primary"): Promise<number> {
  const texts = await Promise.all(roles.baseUrls.map(async (url) => (await fetch(`${url}/metrics`)).text()));
  const line = new RegExp(`kept_standby_reads_total{server="${server}"} (\\d+)`);
  return texts.reduce((sum, text) => sum + Number(line.exec(text)?.[1] ?? 0), 0);
}

/** Reads at both doors until this server has answered all reads of more than a second, in which a door tries again. */
async function untilAnsweredBy(server: "standby" | "primary"): Promise<void> {
  for (let inARow = 0; inARow < 30; await Bun.sleep(50)) {
    const before = await count(server);
    for (const door of [0, 1]) expect((await call("GET", "/categories", { door })).status).toBe(200);
    inARow = (await count(server)) === before + 2 ? inARow + 1 : 0;
  }
}

const writers = 12;
const reads = 200;

/**
 * Changes todos at one door and reads each at the other, straight after the answer, which must show the change.
 * @returns the number of reads, and of those before which the standby did not have the change yet
 */
async function readBack() {
  let [total, missing] = [0, 0];
  const sql = new SQL(standby.url, { max: writers });
  const write = async (index: number) => {
    const by = callDoors(roles.baseUrls, await roles.issuer.token({ sub: `writer ${index}` }));
    const path = `/todos/${(await by("POST", "/todos", { body: { title: "Written" } })).body.id}`;
    for (let turn = 0; total < reads; turn++) {
      const title = `${index} in turn ${turn}`;
      const written = await by("PATCH", path, { door: turn, body: { title } });
      // A busy machine refuses some.
      if (written.status === 503) continue;
      const [isThere, read] = await Promise.all([
        sql`select from todos where user_id = ${`writer ${index}`} and title = ${title}`,
        by("GET", path, { door: turn + 1 }),
      ]);
      if (read.status === 503) continue;
      total += 1;
      if (isThere.length === 0) missing += 1;
      expect([read.status, read.body.title]).toEqual([200, title]);
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, index) => write(index)));
  await sql.close();
  return { total, missing };
}

test("the standby answers, and shows what its caller has changed at the other door, though it applies changes late", async () => {
  await standby.query("alter system set recovery_min_apply_delay = '50ms'");
  await standby.query("select pg_reload_conf()");
  await untilAnsweredBy("standby");
  const before = await count("standby");
  const { missing, total } = await readBack();
  expect([missing, (await count("standby")) - before]).toEqual([0, total]);
});

test("every query is answered by the standby, but for the cursors of changes and the state of approvals", async () => {
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
  const before = await count("primary");
  for (const path of [...asked, "/todos?q=rea&page=2", "/todos?status=all"]) {
    const answered = await count("standby");
    expect([path, (await call("GET", path)).status]).toEqual([path, path === approval ? 404 : 200]);
    if ((await count("standby")) === answered) atPrimary.push(path);
  }
  expect(atPrimary.toSorted()).toEqual([approval, "/changes"]);
  expect(await count("primary")).toBe(before);
});

test("the primary answers while the standby is frozen or dead, and the standby when it is back", async () => {
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
  const before = await count("primary");
  standby.freeze();
  const frozen = await readFor(3_000);
  expect(await count("primary")).toBeGreaterThan(before);
  standby.thaw();
  await untilAnsweredBy("standby");
  await standby.kill();
  const dead = await readFor(500);
  await untilAnsweredBy("primary");
  await standby.start();
  await untilAnsweredBy("standby");
  console.log(`slowest read: ${Math.round(frozen)} ms while it froze, ${Math.round(dead)} ms while it died`);
  expect(Math.max(frozen, dead)).toBeLessThan(2_500);
});

const notWaitedFor = [
  ["until the standby shows them", { synchronous_commit: "on" }],
  ["for any standby", { synchronous_standby_names: "" }],
  ["for each standby", { synchronous_standby_names: "ANY 1 (standby, other)" }],
] as const;

for (const [whom, settings] of notWaitedFor)
  test(`once commits do not wait ${whom}, the primary answers`, async () => {
    await setPrimary(settings);
    await untilAnsweredBy("primary");
    await setPrimary({ synchronous_commit: "remote_apply", synchronous_standby_names: "standby" });
    await untilAnsweredBy("standby");
  });
