import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newInstance, newParent, removeParent, startIn } from "./instance.ts";

let parent: string;

beforeAll(async () => {
  parent = await newParent();
});

afterAll(() => removeParent(parent));

const fetches = Bun.which("apt-get") && !Bun.which("redis-server") && !Bun.which("valkey-server");

test.skipIf(!fetches)(
  "a system without package lists, such as a container image, gets a Redis all the same",
  async () => {
    const settings = join(parent, "apt.conf");
    writeFileSync(settings, `Dir::State::Lists "${join(parent, "no-lists")}";\n`);
    const instance = await newInstance(parent);
    const run = startIn({ ...instance, env: { APT_CONFIG: settings } });
    await run.printed("Try it:");
    expect(await run.end("SIGINT")).toBe(0);
    expect(existsSync(join(parent, ".runtime/redis/usr/bin"))).toBe(true);
  },
  60_000,
);

test("without any way to a Redis the start says what helps", async () => {
  const instance = await newInstance(join(parent));
  const run = startIn({ ...instance, dataDir: join(instance.dataDir, "data"), env: { PATH: "/nowhere" } });
  expect(await run.exited).toBe(1);
  expect(run.output()).toContain("Install valkey-server or redis-server, or set REDIS_URL.");
}, 20_000);
