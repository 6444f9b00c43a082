import { afterAll, expect, test } from "bun:test";
import { createLastChanges } from "../../../../api/queries/standby/last-changes.ts";
import type { Reply } from "../../../../shared/queue/batch.ts";
import { connectFailFast, firstTry } from "../../../../shared/queue/connections.ts";
import { createWrittenPositions } from "../../../../shared/queue/written-positions.ts";
import { openGate } from "../../../support/chaos/gate.ts";
import { services } from "../../../support/servers/services.ts";

const { redisUrl } = await services();
const gate = await openGate(redisUrl);
const redis = connectFailFast(gate.url, { commandTimeout: 300 });
await firstTry(redis);
afterAll(() => {
  redis.disconnect();
  gate.shut();
});

const positions = createWrittenPositions(redis, `test-${crypto.randomUUID()}`);
const primary = { position: 50 };
const told: boolean[] = [];
const { of, check, noteLost } = createLastChanges({
  redis,
  positions,
  askPrimary: async () => primary.position,
  onWorkers: (note) => told.push(note),
});

test("a position is that of the user's last change, at least that of the moment at which Redis was reached", async () => {
  await positions.note(
    new Map([
      ["ada", 100],
      ["bob", 70],
    ]),
  );
  expect(await Promise.all(["ada", "bob", "eve"].map(of))).toEqual([100, 70, 50]);
});

test("it never goes back, in whichever order workers note what they committed", async () => {
  await positions.note(new Map([["ada", 300]]));
  await positions.note(
    new Map([
      ["ada", 200],
      ["bob", 200],
    ]),
  );
  expect(await Promise.all(["ada", "bob"].map(of))).toEqual([300, 200]);
  await positions.note(new Map([["ada", 2 ** 53 - 1]]));
  expect(await of("ada")).toBe(2 ** 53 - 1);
});

test("a change whose reply was lost counts with the end of the log", async () => {
  primary.position = 400;
  await noteLost("eve");
  primary.position = 500;
  expect(await of("eve")).toBe(400);
});

test("while Redis is away nothing is known, and what it may have forgotten lies before the moment of its return", async () => {
  gate.shut();
  expect(await of("ada")).toBeUndefined();
  expect(noteLost("ada")).rejects.toThrow();
  gate.open();
  primary.position = 600;
  while ((await of("new")) === undefined) await Bun.sleep(20);
  expect(await of("new")).toBe(600);
});

test("a worker that gives no positions is noticed, because its users' changes are not noted", async () => {
  const reply: Reply = { ticket: 1, outcome: { body: {} }, replayed: false };
  check({ ...reply, position: 1 });
  expect(told).toEqual([]);
  check(reply);
  expect(await of("ada")).toBeUndefined();
  check({ ...reply, outcome: { refusal: { code: "overloaded", message: "" } } });
  expect(await of("ada")).toBeUndefined();
  check({ ...reply, position: 700 });
  expect(await of("new")).toBe(600);
  expect(told).toEqual([false, true]);
});
