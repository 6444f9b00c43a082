import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { testEnvironment } from "../../harness.ts";
import { pidsOf, startRoles } from "../../support/chaos/roles.ts";
import { callDoors, timed } from "../../support/chaos/world.ts";

const preload = `--preload=${join(import.meta.dir, "fixtures/busy.ts")}`;
const env = { ...(await testEnvironment()), BUN_OPTIONS: preload };
const roles = await startRoles({ env });
const call = callDoors(roles.baseUrls, await roles.issuer.token());
const callAsNeighbour = callDoors(roles.baseUrls, await roles.issuer.token({ sub: "neighbour" }));
const write = (by = call) => by("POST", "/todos", { body: { title: "Written" } });
const signalWorker = (signal: NodeJS.Signals) => {
  for (const pid of pidsOf("workers")) process.kill(pid, signal);
};

afterAll(() => roles.stop());

test("writes wait for the only worker while it computes, and for no frozen one", async () => {
  expect((await write()).status).toBe(201);

  signalWorker("SIGUSR2");
  const early = write();
  await Bun.sleep(1_900);
  expect((await early).status).toBe(503);
  expect((await fetch(`${roles.baseUrls[0]}/health/ready`)).status).toBe(200);
  const late = await Promise.all([write(), write(callAsNeighbour)]);
  expect(late.map(({ status }) => status)).toEqual([201, 201]);

  signalWorker("SIGSTOP");
  expect((await write()).status).toBe(503);
  await Bun.sleep(300);
  const { result, ms } = await timed(write());
  expect([result.status, result.body.applied]).toEqual([503, "no"]);
  expect(ms).toBeLessThan(300);
  signalWorker("SIGCONT");
  while ((await write()).status !== 201) await Bun.sleep(50);
}, 30_000);
