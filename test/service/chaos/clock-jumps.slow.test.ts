import { afterAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { openDatabase } from "../../../shared/db/orm.ts";
import { startRedis } from "../../../shared/embedded/servers/redis.ts";
import { loadConfig } from "../../../shared/process/config.ts";
import { roleUrlsOf } from "../../../shared/process/database-roles.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { connectFailFast } from "../../../shared/queue/connections.ts";
import { migrate } from "../../../workers/upkeep/migrate.ts";
import { runUpkeep } from "../../../workers/upkeep/upkeep.ts";
import { callOnce, type JsonBody } from "../../harness.ts";
import { databasesOf, pidsOf, startRoles } from "../../support/chaos/roles.ts";
import { agent } from "../../support/mcp.ts";
import { openPageDoor } from "../../support/page-door.ts";
import { eventually } from "../../support/reminder/stack.ts";
import {
  createClocks,
  demandStep,
  hasClocks,
  serverPids,
  startClockedPostgres,
} from "../../support/servers/clocked-postgres.ts";
import { signal } from "../../support/servers/signal.ts";

const secret = `whsec_${Buffer.from("thirty-two bytes make one secret").toString("base64")}`;
const rings: number[] = [];
let answerAfterMs = 0;
/** Its clock is right, so it does not check signatures, which have PostgreSQL's time. */
const receiver = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    rings.push(((await request.json()) as JsonBody).data.todo.id);
    await Bun.sleep(answerAfterMs);
    return new Response(null, { status: 204 });
  },
});

const folder = join(import.meta.dir, "../../..", `data-test-clock-${process.pid}`);
const clocks = createClocks();
/** All processes of the server notice a jump at once. */
const uncached = { ...clocks.environment("postgres"), FAKETIME_NO_CACHE: "1" };
const [postgres, redis] = await Promise.all([startClockedPostgres(folder, uncached), startRedis(folder)]);
await migrate(postgres.url, "error", { roleUrls: roleUrlsOf(postgres.url) });
const env = { DATABASE_URL: postgres.url, REDIS_URL: redis.url, WEBHOOK_ALLOW_LOOPBACK: "yes" };
const roles = await startRoles({ env, databases: databasesOf(postgres.url), apis: 2, workers: 2 });
const config = loadConfig({ ...env, BASE_URL: roles.baseUrls[0], AUTH_URL: roles.issuer.url });
const sql = new SQL(postgres.url, { max: 2 });
const log = createLog("test", "error");
const database = await openDatabase({ url: postgres.url, log, purpose: "writes" });
const publisher = connectFailFast(redis.url);
const page = await openPageDoor({ config, clock: { now: undefined } });
const tools = await agent({ config, issuer: roles.issuer });
afterAll(async () => {
  receiver.stop(true);
  await page.close();
  publisher.disconnect();
  await database.close();
  await sql.close();
  await roles.stop();
  await Promise.all([postgres.stop(), redis.stop()]);
  clocks.remove();
  rmSync(folder, { recursive: true });
});

let door = 0;
function call(method: string, path: string, body?: object, key?: string) {
  const baseUrl = roles.baseUrls[door++ % 2] ?? "";
  const headers = key === undefined ? {} : { "idempotency-key": key };
  return callOnce({ baseUrl }, method, path, { token: tools.token, headers, ...(body && { body }) });
}

const serverTime = async (): Promise<number> =>
  Number((await sql`select extract(epoch from clock_timestamp()) * 1000 as ms`)[0].ms);

async function jump(seconds: number): Promise<void> {
  clocks.set("postgres", seconds);
  await demandStep(sql, seconds);
}

const changeByPage = async (): Promise<boolean> =>
  "time_zone" in (await page.send("ada", "user.configure", { day_start_hour: 0 }));

/** Doors follow the clock within a second. Until then they may refuse with a true `applied: no`. */
async function doorsFollow(): Promise<void> {
  for (let streak = 0, tries = 0; streak < 4; tries++) {
    const { status, body } = await call("POST", "/todos", { title: "early" });
    if (status !== 201) expect([status, body.applied]).toEqual([503, "no"]);
    streak = status === 201 ? streak + 1 : 0;
    if (tries === 40) throw new Error("The doors do not follow PostgreSQL's clock.");
    await Bun.sleep(streak > 0 ? 10 : 100);
  }
  // A door whose clock is ahead refuses nothing, so the test waits until it has followed a jump back.
  await Bun.sleep(1_100);
  await eventually(changeByPage);
}

/** @returns the answers to one change of each kind */
async function changeEverything(): Promise<Record<string, number | boolean>> {
  const made = await call("POST", "/todos", { title: "a" });
  const key = crypto.randomUUID();
  const keyed = await call("POST", "/todos", { title: "keyed" }, key);
  const todo = `/todos/${made.body?.id}`;
  const operations = [{ method: "POST", path: "/todos", body: { title: "in a group" } }];
  const group = await call("POST", "/batch", { operations });
  const habit = await call("POST", "/habits", { name: "h", type: "good", frequency: "daily" });
  return {
    create: made.status,
    keyed: keyed.status,
    repeat: (await call("POST", "/todos", { title: "keyed" }, key)).body?.id === keyed.body?.id,
    update: (await call("PATCH", todo, { title: "b" })).status,
    complete: (await call("POST", `/habits/${habit.body?.id}/complete`)).status,
    remind: (await call("PUT", `${todo}/reminder`, { remind_at: "2090-01-01T00:00:00Z" })).status,
    group: group.status,
    inGroup: group.body?.results?.[0]?.status,
    page: await changeByPage(),
    toolFails: (await tools.call("create-todo", { title: "by a tool" })).isError,
    delete: (await call("DELETE", todo)).status,
    deleteKeyed: (await call("DELETE", `/todos/${keyed.body?.id}`, undefined, crypto.randomUUID())).status,
  };
}

const done = {
  create: 201,
  keyed: 201,
  repeat: true,
  update: 200,
  complete: 200,
  remind: 200,
  group: 200,
  inGroup: 201,
  page: true,
  toolFails: false,
  delete: 204,
  deleteKeyed: 204,
};

/** Sets a reminder by PostgreSQL's clock. @returns the id of its todo */
async function remindIn(ms: number): Promise<number> {
  const { body } = await call("POST", "/todos", { title: "rings" });
  const remind_at = new Date((await serverTime()) + ms).toISOString();
  expect((await call("PUT", `/todos/${body.id}/reminder`, { remind_at })).status).toBe(200);
  return body.id;
}

const ringsOf = (id: number) => rings.filter((one) => one === id).length;
const statusOf = async (id: number) => (await call("GET", `/todos/${id}`)).body.reminder.status;
const upkeep = () => runUpkeep({ database, config, log, publisher, security() {} });

const hours = 3_600;
const days = 24 * hours;

test.skipIf(!hasClocks)(
  "every kind of change is made and every reminder rings once when PostgreSQL's clock jumps, ahead or back",
  async () => {
    await sql`insert into users (user_id, time_zone, zone_source, day_start_hour, reminder_channel, webhook_url,
        webhook_secret, created_at, updated_at)
      values ('ada', 'UTC', 'claim', 0, 'webhook', ${receiver.url.href}, ${secret}, now(), now())`;
    const key = crypto.randomUUID();
    const { body: kept } = await call("POST", "/todos", { title: "kept" }, key);
    const rang: number[] = [];
    for (const seconds of [90, 5 * hours, 3 * days, -3 * days, 0]) {
      await jump(seconds);
      await doorsFollow();
      for (const step of ["before upkeep", "after upkeep"]) {
        expect({ seconds, step, ...(await changeEverything()) }).toEqual({ seconds, step, ...done });
        expect((await call("POST", "/todos", { title: "kept" }, key)).body.id).toBe(kept.id);
        if (step === "before upkeep") await upkeep();
      }
      const id = await remindIn(300);
      await eventually(() => ringsOf(id) > 0);
      rang.push(id);
    }
    expect(rang.map(ringsOf)).toEqual(rang.map(() => 1));
  },
);

test.skipIf(!hasClocks)("a reminder that a wrong clock made missed rings when its time comes", async () => {
  const id = await remindIn(4_000);
  await jump(3 * days);
  await eventually(async () => (await statusOf(id)) === "missed");
  await upkeep();
  await jump(0);
  // A worker may hold the lock of upkeep just then, and the test's own run is left out.
  await eventually(async () => {
    await upkeep();
    return (await statusOf(id)) === "scheduled";
  });
  await eventually(() => ringsOf(id) > 0);
});

test.skipIf(!hasClocks)("a reminder that is being sent while the clock jumps is sent once", async () => {
  answerAfterMs = 4_000;
  const id = await remindIn(300);
  await eventually(() => ringsOf(id) > 0);
  await jump(5 * hours);
  await eventually(async () => (await statusOf(id)) === "sent");
  await Bun.sleep(500);
  expect(ringsOf(id)).toBe(1);
});

test.skipIf(!hasClocks)(
  "after everything stood still and the clock went on, changes are made at once",
  async () => {
    const servers = (["postgres", "redis"] as const).flatMap((one) => serverPids(one, folder));
    const pids = [...servers, ...pidsOf("api"), ...pidsOf("workers")];
    for (const pid of pids) signal(pid, "SIGSTOP");
    clocks.set("postgres", 12 * hours);
    await Bun.sleep(2_000);
    for (const pid of pids) signal(pid, "SIGCONT");
    await jump(12 * hours);
    await doorsFollow();
    expect(await changeEverything()).toEqual(done);
  },
);
