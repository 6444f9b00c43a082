import { afterAll, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startStack, testEnvironment } from "../../harness.ts";
import { startRoles } from "../../support/chaos/roles.ts";
import { openStream, pagesEnv, sessionOf } from "../../support/pages/live-support.ts";
import { startRedisNode } from "../../support/servers/redis-node.ts";

const folder = await mkdtemp(join(tmpdir(), "kept-live-"));

test("pages and streams outlive a Redis that is killed, and events come again with the next one", async () => {
  let redis = await startRedisNode(join(folder, "first"));
  afterAll(() => redis.kill().catch(() => {}));
  const stack = await startStack({ env: { ...pagesEnv, REDIS_URL: `redis://${redis.address}` } });
  const { config } = stack;
  const stream = await openStream(config, "ada");
  await stream.event("changed");
  await redis.kill();
  const cookie = `kept_account=${await sessionOf(config, "ada")}`;
  expect((await fetch(`${config.baseUrl}/account`, { headers: { cookie } })).status).toBe(200);

  redis = await startRedisNode(join(folder, "second"), [], { port: redis.port });
  const create = async () => (await stack.rest("POST", "/todos", { body: { title: "Pay rent" } })).status;
  while ((await create()) !== 201) await Bun.sleep(50);
  await stream.event("changed", 2);
  // The workers learn again who is watched, before the beat that would show the change anyway.
  const began = performance.now();
  while (performance.now() - began < 6_000) await Bun.sleep(100);
  const count = stream.count("changed");
  expect(await create()).toBe(201);
  const saidAt = performance.now();
  await stream.event("changed", count + 1);
  expect(performance.now() - saidAt).toBeLessThan(3_000);
  stream.close();
});

test("a door that is told to stop ends its streams and stops in time", async () => {
  const env: Record<string, string> = { ...(await testEnvironment()), ...pagesEnv };
  const roles = await startRoles({ env });
  const config = { baseUrl: roles.baseUrls[0] ?? "", databaseUrl: env.DATABASE_URL ?? "" };
  const streams = await Promise.all(Array.from({ length: 5 }, (_, n) => openStream(config, `user-${n}`)));
  await Promise.all(streams.map((stream) => stream.event("changed")));
  const began = performance.now();
  await roles.stop();
  await Promise.all(streams.map(({ ended }) => ended));
  expect(performance.now() - began).toBeLessThan(4_000);
});
