import { expect, test } from "bun:test";
import { RedisClient } from "bun";
import { testEnvironment } from "../../harness.ts";
import { startRoles } from "../../support/chaos/roles.ts";
import { callDoors, timed } from "../../support/chaos/world.ts";
import { eventually } from "../../support/reminder/stack.ts";

test("while no worker runs, writes are refused at once and nothing piles up; then all goes on", async () => {
  const env = await testEnvironment();
  const redis = new RedisClient(env.REDIS_URL ?? "");
  const jobs = async () => (await redis.keys(`{${env.QUEUE_PREFIX}}:commands:*-*`)).length;
  const doors = await startRoles({ env, workers: 0 });
  const call = callDoors(doors.baseUrls, await doors.issuer.token());
  const write = () => call("POST", "/todos", { body: { title: "Nobody there" } });

  const first = await Promise.all(Array.from({ length: 50 }, write));
  expect(first.map(({ status }) => status)).toEqual(Array(50).fill(503));
  await Bun.sleep(300);
  const times: number[] = [];
  for (let turn = 0; turn < 40; turn++) {
    const { result, ms } = await timed(write());
    expect([result.status, result.body.applied]).toEqual([503, "no"]);
    times.push(ms);
    await Bun.sleep(50);
  }
  expect(times.toSorted((one, other) => one - other)[20]).toBeLessThan(100);
  for (let turn = 0; turn < 200; turn++) await fetch(`${doors.baseUrls[0]}/health/ready`);
  expect(await jobs()).toBeLessThanOrEqual(3);

  const workers = await startRoles({ env, apis: 0 });
  await eventually(async () => (await write()).status === 201, 5_000);
  await doors.stop();
  await workers.stop();
  redis.close();
});
