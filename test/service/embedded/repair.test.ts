import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Instance,
  look,
  newInstance,
  newParent,
  processesOf,
  type Run,
  removeParent,
  shareRuntime,
  startIn,
  within,
} from "./instance.ts";

let parent: string;
let instance: Instance;
let run: Run;

beforeAll(async () => {
  parent = await newParent();
  shareRuntime(parent);
  instance = await newInstance(parent);
  run = startIn(instance);
  await run.printed("Try it:");
}, 60_000);

afterAll(async () => {
  await run.end("SIGINT");
  removeParent(parent);
}, 20_000);

const pidIn = (file: string) => Number.parseInt(readFileSync(join(instance.dataDir, file), "utf8"), 10);
const postmaster = () => pidIn("postgres/postmaster.pid");
const redis = () => pidIn("redis/redis.pid");

function matching(pattern: RegExp): number[] {
  return [...processesOf(instance)].filter(([, command]) => pattern.test(command)).map(([pid]) => pid);
}

/**
 * Kills processes, and waits until the supervisor reports the named ones back and the instance answers with its
 * data.
 */
async function killAndSeeBack(pids: number[], ...names: string[]): Promise<void> {
  const { starts } = await look(instance);
  const said = run.output().length;
  for (const pid of pids) process.kill(pid, "SIGKILL");
  for (const name of names) await within(10, () => run.output().indexOf(`${name} is back after`, said) > 0);
  expect((await within(5, () => look(instance))).starts).toBe(starts);
}

test("PostgreSQL killed -9 is back on its port with its data", async () => {
  const killed = postmaster();
  await killAndSeeBack([killed], "postgres");
  expect(postmaster()).not.toBe(killed);
}, 20_000);

test("Redis killed -9 is back on its port", async () => {
  const killed = redis();
  await killAndSeeBack([killed], "redis");
  expect(redis()).not.toBe(killed);
}, 20_000);

test("guards killed -9 leave no second server on the data", async () => {
  const guards = matching(/^.bin.sh/);
  expect(guards).toHaveLength(4);
  await killAndSeeBack(guards, "postgres", "redis");
  // A child that PostgreSQL has just forked has its parent's name for a moment.
  const servers = () => matching(/^\S*(postgres -D|(redis|valkey)-server)/).toSorted();
  await within(5, () => String(servers()) === String([postmaster(), redis()].toSorted()));
}, 20_000);

test("roles killed -9 are started again", async () => {
  const roles = matching(/fixtures\/(api|workers|identity)\.ts/);
  expect(roles).toHaveLength(3);
  await killAndSeeBack(roles, "api", "workers", "identity");
}, 20_000);

test("everything killed -9 at once, but for the supervisor, comes back", async () => {
  const children = [...processesOf(instance).keys()].filter((pid) => pid !== run.pid);
  await killAndSeeBack(children, "postgres", "redis", "api", "workers", "identity");
}, 20_000);

test("a supervisor killed -9 leaves nothing behind, and the next start has the data", async () => {
  const { starts } = await look(instance);
  await run.end("SIGKILL");
  await within(3, () => processesOf(instance).size === 0);
  run = startIn(instance);
  await run.printed("Try it:");
  expect((await look(instance)).starts).toBe(starts + 1);
}, 20_000);

test("a start right after a kill -9 waits for the old processes to go", async () => {
  await run.end("SIGKILL");
  run = startIn(instance);
  await run.printed("Try it:");
  await look(instance);
}, 20_000);

test("a pid file that names a stranger's process does not keep PostgreSQL from starting", async () => {
  const pidFile = join(instance.dataDir, "postgres/postmaster.pid");
  const stale = readFileSync(pidFile, "utf8");
  await run.end("SIGTERM");
  writeFileSync(pidFile, stale.replace(/^\d+/, String(process.pid)));
  run = startIn(instance);
  await run.printed("Try it:");
}, 20_000);

test("a first start killed -9 at any moment leaves nothing behind and can be done again", async () => {
  const fresh = await newInstance(parent);
  for (const moment of [30, 200, 450, 750]) {
    const attempt = startIn(fresh);
    await Bun.sleep(moment);
    await attempt.end("SIGKILL");
    await within(3, () => processesOf(fresh).size === 0);
  }
  const last = startIn(fresh);
  await last.printed("Try it:");
  await look(fresh);
  await last.end("SIGINT");
}, 60_000);
