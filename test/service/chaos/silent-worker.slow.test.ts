import { afterAll, expect, test } from "bun:test";
import { testEnvironment } from "../../harness.ts";
import { openGate } from "../../support/chaos/gate.ts";
import { startRoles } from "../../support/chaos/roles.ts";
import { callDoors, timed } from "../../support/chaos/world.ts";

const env = await testEnvironment();
const gate = await openGate(env.REDIS_URL ?? "");
const doors = await startRoles({ env, workers: 0 });
const workers = await startRoles({ env: { ...env, REDIS_URL: gate.url }, apis: 0, workers: 2 });
const call = callDoors(doors.baseUrls, await doors.issuer.token());

afterAll(async () => {
  await doors.stop();
  await workers.stop();
  gate.shut();
});

test("workers whose way to Redis falls silent notice it themselves", async () => {
  const write = () => call("POST", "/todos", { body: { title: "Written" } });
  expect((await write()).status).toBe(201);
  gate.silence();
  const heal = async () => {
    while ((await write()).status !== 201) await Bun.sleep(100);
  };
  expect((await timed(heal())).ms).toBeLessThan(10_000);
}, 30_000);
