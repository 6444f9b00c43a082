import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { SQL } from "bun";
import { testEnvironment } from "../../../harness.ts";
import { startRoles } from "../../../support/chaos/roles.ts";
import { callDoors, timed } from "../../../support/chaos/world.ts";

const env = await testEnvironment();
const nextVersion = { ...env, BUN_OPTIONS: `--preload=${join(import.meta.dir, "fixtures/next-version.ts")}` };
const sql = new SQL(env.DATABASE_URL ?? "", { max: 1 });
const present = await startRoles({ env });
const next = await startRoles({ env: nextVersion, workers: 0 });
const [callPresent, callNext] = await Promise.all(
  [present, next].map(async ({ baseUrls, issuer }) => callDoors(baseUrls, await issuer.token())),
);
const stops = [present.stop, next.stop, () => sql.close()];
afterAll(async () => {
  for (const stop of stops) await stop();
});

const write = (call = callPresent) => call?.("POST", "/todos", { body: { title: "Written" } });
const countTodos = async () => (await sql`select count(*)::int as count from todos`)[0].count;
const refused = { status: 503, body: { applied: "no" } };

test("a worker refuses a batch of a version it does not know, at once and without running it", async () => {
  for (let times = 0; times < 10; times++) {
    const { result, ms } = await timed(Promise.resolve(write(callNext)));
    expect(result).toMatchObject(refused);
    expect(ms).toBeLessThan(1_000);
  }
  expect(await countTodos()).toBe(0);
  expect((await write())?.status).toBe(201);
  expect(await countTodos()).toBe(1);
});

test("in a rolling deploy each door is served by the workers of its version, and refused honestly by the others", async () => {
  const before = await countTodos();
  const workers = await startRoles({ env: nextVersion, apis: 0 });
  stops.unshift(workers.stop);
  let made = 0;
  for (const call of [callPresent, callNext]) {
    for (let served = 0; served < 5; ) {
      const answer = await write(call);
      if (answer?.status === 201) served += 1;
      else expect(answer).toMatchObject(refused);
    }
    made += 5;
  }
  expect(await countTodos()).toBe(before + made);
});
