import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { look, newInstance, sharedParent, startIn, within } from "./instance.ts";

const instance = await newInstance(await sharedParent());
const pidFiles = { postgres: "postgres/postmaster.pid", redis: "redis/redis.pid" };
const pidOf = (name: keyof typeof pidFiles) =>
  Number.parseInt(readFileSync(join(instance.dataDir, pidFiles[name]), "utf8"), 10);

async function start() {
  const run = startIn(instance);
  afterAll(() => run.end("SIGKILL"));
  await run.printed("Try it:");
  return run;
}

test("a frozen PostgreSQL and a frozen Redis are replaced within 15 seconds, with their data, and a line says so", async () => {
  const run = await start();
  const { starts } = await look(instance);
  const frozen = (["postgres", "redis"] as const).map((name) => ({ name, pid: pidOf(name) }));
  for (const { pid } of frozen) process.kill(pid, "SIGSTOP");
  for (const { name, pid } of frozen) {
    await within(15, () => run.output().includes(`${name} is back`));
    expect(run.output()).toContain(`${name} ended (it hung); starting it again`);
    expect(pidOf(name)).not.toBe(pid);
  }
  expect((await within(5, () => look(instance))).starts).toBe(starts);
  expect(await run.end("SIGINT")).toBe(0);
}, 60_000);

test("a stop ends a frozen server, too", async () => {
  const run = await start();
  process.kill(pidOf("redis"), "SIGSTOP");
  expect(await run.end("SIGINT")).toBe(0);
}, 60_000);
