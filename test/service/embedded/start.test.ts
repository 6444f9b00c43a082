import { afterAll, beforeAll, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import {
  environmentOf,
  type Instance,
  look,
  newInstance,
  newParent,
  processesOf,
  removeParent,
  startIn,
  within,
} from "./instance.ts";

let parent: string;
let instance: Instance;

beforeAll(async () => {
  parent = await newParent();
  instance = await newInstance(parent);
});

afterAll(() => removeParent(parent));

test("a first start fetches, makes and runs everything and tells the owner's sign-in", async () => {
  const run = startIn(instance);
  await run.printed("Ready in");
  await run.printed("Try it:");
  expect(run.output()).toMatch(/PostgreSQL +\d+\.\d\d s\n/);
  expect(run.output()).toMatch(/Redis +\d+\.\d\d s\n/);
  expect(run.output()).toContain("password  secret-1");
  expect(run.output()).toContain(
    `curl -H "Authorization: Bearer token-1" http://localhost:${instance.port}/api/v1/dashboard`,
  );
  expect(await look(instance)).toMatchObject({ starts: 1, calls: 1 });
  expect(await run.end("SIGINT")).toBe(0);
  await within(2, () => processesOf(instance).size === 0);
}, 60_000);

test("a later start has the data, and tells where the token is instead of the password", async () => {
  const run = startIn(instance);
  await run.printed("Try it:");
  expect(await look(instance)).toMatchObject({ starts: 2, calls: 2 });
  expect(run.output()).not.toContain("secret-1");
  expect(run.output()).toContain(`$(cat '${join(instance.dataDir, "owner-token")}')`);
  expect(await run.end("SIGTERM")).toBe(0);
}, 20_000);

test("a stop goes from the front door to the database", async () => {
  const run = startIn(instance);
  await run.printed("Try it:");
  await run.end("SIGTERM");
  const stopped = [...run.output().matchAll(/(\w+) +stopped$/gm)].map(([, part]) => part);
  expect(stopped).toEqual(["api", "workers", "identity", "Redis", "PostgreSQL"]);
  expect(run.output()).toEndWith("Stopped.\n");
  await within(2, () => processesOf(instance).size === 0);
}, 20_000);

test("a role that is frozen is started again, and a second Ctrl-C waits for nobody", async () => {
  const run = startIn(instance);
  await run.printed("Try it:");
  const { pid } = await look(instance);
  process.kill(pid, "SIGSTOP");
  await run.printed("api ended (it hung); starting it again");
  await run.printed("api is back");
  const next = await look(instance);
  expect(next.pid).not.toBe(pid);
  process.kill(next.pid, "SIGSTOP");
  process.kill(run.pid, "SIGINT");
  await run.printed("Stopping");
  await Bun.sleep(600);
  expect(await run.end("SIGINT")).toBe(1);
  await within(5, () => processesOf(instance).size === 0);
}, 30_000);

test("a second start on the same data is refused and leaves the first alone", async () => {
  const first = startIn(instance);
  await first.printed("Try it:");
  const second = startIn(instance);
  expect(await second.exited).toBe(1);
  expect(second.output()).toContain(`Kept already runs on ${instance.dataDir} (process ${first.pid}).`);
  await look(instance);
  await first.end("SIGINT");
}, 20_000);

test("a port that somebody else has is named before anything starts", async () => {
  const other = Bun.serve({ hostname: "127.0.0.1", port: instance.port, fetch: () => new Response("other") });
  const run = startIn(instance);
  expect(await run.exited).toBe(1);
  expect(run.output()).toContain(`Port ${instance.port} of 127.0.0.1 is in use by another program. Set PORT`);
  expect(run.output()).not.toContain("PostgreSQL");
  await other.stop(true);
}, 20_000);

test("a Ctrl-C during the start ends it and leaves nothing behind", async () => {
  const fresh = await newInstance(parent);
  const run = startIn(fresh);
  await run.printed("Kept starts");
  await Bun.sleep(100);
  expect(await run.end("SIGINT")).toBe(0);
  await within(2, () => processesOf(fresh).size === 0);
}, 20_000);

test("npm killed -9 takes everything with it", async () => {
  const script = join(import.meta.dir, "fixtures/start.ts");
  const npm = Bun.spawn(["/bin/sh", "-c", `"${process.execPath}" "${script}" & wait`], {
    env: { ...environmentOf(instance), npm_lifecycle_event: "start" },
    stdio: ["ignore", "ignore", "ignore"],
  });
  await within(10, () => look(instance));
  npm.kill("SIGKILL");
  await within(5, () => processesOf(instance).size === 0);
}, 20_000);

test("passwords and the token are for the owner's eyes only", () => {
  for (const file of ["postgres.password", "redis.password", "redis/redis.conf", "owner-token"])
    expect(statSync(join(instance.dataDir, file)).mode & 0o077).toBe(0);
});
