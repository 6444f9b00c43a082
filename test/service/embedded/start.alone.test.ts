import { afterAll, expect, test } from "bun:test";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  environmentOf,
  look,
  newInstance,
  processesOf,
  sharedParent,
  startIn,
  startReady,
  within,
} from "./instance.ts";

// The tests live through one installation, from its first start to its last.
const parent = await sharedParent();
const instance = await newInstance(parent);
let run = await startReady(instance);
afterAll(() => run.end("SIGKILL"));

const pidIn = (file: string) => Number.parseInt(readFileSync(join(instance.dataDir, file), "utf8"), 10);
const postmaster = () => pidIn("postgres/postmaster.pid");
const redis = () => pidIn("redis/redis.pid");
const matching = (pattern: RegExp): number[] =>
  [...processesOf(instance)].flatMap(([pid, command]) => (pattern.test(command) ? [pid] : []));
const nothingIsLeft = (of = instance) => within(5, () => processesOf(of).size === 0);

test("a first start makes and runs everything and tells the owner's sign-in", async () => {
  expect(run.output()).toMatch(/PostgreSQL +\d+\.\d\d s\n/);
  expect(run.output()).toMatch(/Redis +\d+\.\d\d s\n/);
  expect(run.output()).toContain("Ready in");
  expect(run.output()).toContain("password  secret-1");
  expect(run.output()).toContain(
    `curl -H "Authorization: Bearer token-1" http://localhost:${instance.port}/api/v1/dashboard`,
  );
  expect(await look(instance)).toMatchObject({ starts: 1, calls: 1 });
});

test("passwords and the token are for the owner's eyes only", () => {
  for (const file of ["postgres.password", "redis.password", "redis/redis.conf", "owner-token"])
    expect(statSync(join(instance.dataDir, file)).mode & 0o077).toBe(0);
});

test("a second start on the same data is refused and leaves the first alone", async () => {
  const second = startIn(instance);
  expect(await second.exited).toBe(1);
  expect(second.output()).toContain(`Kept already runs on ${instance.dataDir} (process ${run.pid}).`);
  await look(instance);
});

const guards = /^.bin.sh/;
const roles = /fixtures\/(api|workers)\.ts/;
const victims: readonly [string, () => number[], number, string[]][] = [
  ["PostgreSQL", () => [postmaster()], 1, ["postgres"]],
  ["Redis", () => [redis()], 1, ["redis"]],
  ["the guards of both", () => matching(guards), 4, ["postgres", "redis"]],
  ["the roles", () => matching(roles), 2, ["api", "workers"]],
  [
    "everything but the supervisor",
    () => [...processesOf(instance).keys()].filter((pid) => pid !== run.pid),
    0,
    ["postgres", "redis", "api", "workers"],
  ],
];

test.each(victims)("%s killed -9 are back with the data, each once", async (_, find, count, names) => {
  const { starts } = await within(5, () => look(instance));
  const [said, pids] = [run.output().length, find()];
  if (count > 0) expect(pids).toHaveLength(count);
  for (const pid of pids) process.kill(pid, "SIGKILL");
  for (const name of names) await within(10, () => run.output().indexOf(`${name} is back after`, said) > 0);
  expect((await within(5, () => look(instance))).starts).toBe(starts);
  expect(pids.filter((pid) => processesOf(instance).has(pid))).toEqual([]);
  // A child that PostgreSQL has just forked has its parent's name for a moment.
  const servers = () => matching(/^\S*(postgres -D|(redis|valkey)-server)/).toSorted();
  await within(5, () => String(servers()) === String([postmaster(), redis()].toSorted()));
});

test("a frozen role, PostgreSQL and Redis are replaced within 15 seconds, with their data, and a line says so", async () => {
  const { starts, pid } = await within(5, () => look(instance));
  const pidsOf = {
    api: async () => (await within(5, () => look(instance))).pid,
    postgres: postmaster,
    redis,
  };
  const frozen = { api: pid, postgres: postmaster(), redis: redis() };
  for (const one of Object.values(frozen)) process.kill(one, "SIGSTOP");
  for (const name of ["api", "postgres", "redis"] as const) {
    await within(15, () => run.output().includes(`${name} ended (it hung); starting it again`));
    await within(15, async () => (await pidsOf[name]()) !== frozen[name]);
  }
  expect((await within(5, () => look(instance))).starts).toBe(starts);
});

test("a stop goes from the front door to the database and leaves nothing", async () => {
  expect(await run.end("SIGTERM")).toBe(0);
  const stopped = [...run.output().matchAll(/(\w+) +stopped$/gm)].map(([, part]) => part);
  expect(stopped).toEqual(["api", "workers", "Redis", "PostgreSQL"]);
  expect(run.output()).toEndWith("Stopped.\n");
  await nothingIsLeft();
});

test("a later start has the data and tells where the token is instead of the password; its stop ends a frozen server, too", async () => {
  run = await startReady(instance);
  expect((await look(instance)).starts).toBe(2);
  expect(run.output()).not.toContain("secret-1");
  expect(run.output()).toContain(`$(cat '${join(instance.dataDir, "owner-token")}')`);
  process.kill(redis(), "SIGSTOP");
  expect(await run.end("SIGINT")).toBe(0);
});

test("a second Ctrl-C waits for nobody", async () => {
  run = await startReady(instance);
  process.kill((await look(instance)).pid, "SIGSTOP");
  process.kill(run.pid, "SIGINT");
  await run.printed("Stopping");
  // A signal that comes sooner counts as the first one, passed on again.
  await Bun.sleep(600);
  expect(await run.end("SIGINT")).toBe(1);
  await nothingIsLeft();
});

test("a supervisor killed -9 leaves nothing behind, and the next start, even at once, has the data", async () => {
  run = await startReady(instance);
  const { starts } = await look(instance);
  await run.end("SIGKILL");
  await nothingIsLeft();
  run = await startReady(instance);
  expect((await look(instance)).starts).toBe(starts + 1);
  await run.end("SIGKILL");
  run = await startReady(instance);
  await look(instance);
});

test("a pid file that names a stranger's process does not keep PostgreSQL from starting", async () => {
  const pidFile = join(instance.dataDir, "postgres/postmaster.pid");
  const stale = readFileSync(pidFile, "utf8");
  await run.end("SIGTERM");
  writeFileSync(pidFile, stale.replace(/^\d+/, String(process.pid)));
  run = await startReady(instance);
  await run.end("SIGINT");
});

test("npm killed -9 takes everything with it", async () => {
  const script = join(import.meta.dir, "fixtures/start.ts");
  const npm = Bun.spawn(["/bin/sh", "-c", `"${process.execPath}" "${script}" & wait`], {
    env: { ...environmentOf(instance), npm_lifecycle_event: "start" },
    stdio: ["ignore", "ignore", "ignore"],
  });
  await within(20, () => look(instance));
  npm.kill("SIGKILL");
  await nothingIsLeft();
});

test("a port that somebody else has is named before anything starts", async () => {
  const other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("other") });
  const late = startIn({ ...instance, port: other.port ?? 0 });
  expect(await late.exited).toBe(1);
  expect(late.output()).toContain(`Port ${other.port} of 127.0.0.1 is in use by another program. Set PORT`);
  expect(late.output()).not.toContain("PostgreSQL");
  await other.stop(true);
});

test("a first start that Ctrl-C or a kill -9 ends at any moment leaves nothing behind and can be done again", async () => {
  const fresh = await newInstance(parent);
  const first = startIn(fresh);
  await first.printed("Kept starts");
  await Bun.sleep(100);
  expect(await first.end("SIGINT")).toBe(0);
  await nothingIsLeft(fresh);
  for (const moment of [30, 200, 450, 750]) {
    const attempt = startIn(fresh);
    await Bun.sleep(moment);
    await attempt.end("SIGKILL");
    await nothingIsLeft(fresh);
  }
  const last = await startReady(fresh);
  await look(fresh);
  await last.end("SIGINT");
});
