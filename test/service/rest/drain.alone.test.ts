import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { FromRole } from "../../../shared/process/role.ts";
import { freePort, testEnvironment } from "../../harness.ts";
import { connectRaw, requestText } from "../../support/raw.ts";

const root = join(import.meta.dir, "../../..");
const env = await testEnvironment();
const children: Bun.Subprocess[] = [];
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
});

/** A front door in a process of its own, as soon as it serves. */
async function startDoor(drainSeconds: number) {
  const port = freePort();
  const own = { PORT: String(port), DRAIN_SECONDS: String(drainSeconds) };
  const serving = Promise.withResolvers<void>();
  const child = Bun.spawn([process.execPath, join(root, "api/main.ts")], {
    env: { ...process.env, ...env, ...own },
    stdio: ["ignore", "inherit", "inherit"],
    ipc: ({ alive }: FromRole) => alive || serving.resolve(),
  });
  children.push(child);
  await serving.promise;
  const statusOf = async (path: string) =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { keepalive: false })).status;
  return { child, port, statusOf };
}

const health = (path: string) => requestText({ method: "GET", path, token: "none" });

test.concurrent("a door told to stop says so, serves on for the drain time, and lets go of kept connections", async () => {
  const [page, status] = ["/docs", 200];
  const { child, port, statusOf } = await startDoor(2);
  const [kept, idle] = [await connectRaw(port), await connectRaw(port)];
  for (const connection of [kept, idle]) expect(await connection.exchange(health(page))).toBe(status);
  expect([kept.isOpen(), await statusOf("/health/accepting")]).toEqual([true, 200]);

  const toldAt = performance.now();
  child.kill("SIGTERM");
  while ((await statusOf("/health/accepting")) === 200) await Bun.sleep(5);
  expect(performance.now() - toldAt).toBeLessThan(1_000);
  expect([await statusOf("/health/ready"), await statusOf("/health/live")]).toEqual([503, 200]);
  expect(await kept.exchange(health(page))).toBe(status);
  expect(kept.isOpen()).toBe(false);
  expect(await statusOf(page)).toBe(status);

  expect(await child.exited).toBe(0);
  expect(performance.now() - toldAt).toBeGreaterThan(2_000);
  expect(performance.now() - toldAt).toBeLessThan(8_000);
  expect(idle.isOpen()).toBe(false);
});

test.concurrent("a second signal ends a role at once, unless it is the first one passed on again", async () => {
  const { child, statusOf } = await startDoor(60);
  child.kill("SIGTERM");
  while ((await statusOf("/health/accepting")) === 200) await Bun.sleep(5);
  child.kill("SIGTERM");
  await Bun.sleep(600);
  expect(await statusOf("/health/accepting")).toBe(503);
  const toldAt = performance.now();
  child.kill("SIGTERM");
  expect(await child.exited).toBe(1);
  expect(performance.now() - toldAt).toBeLessThan(2_000);
});
