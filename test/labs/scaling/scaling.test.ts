import { expect, test } from "bun:test";
import { costOf, demandsOf } from "./demands.ts";
import { simulateWrites } from "./writes.ts";

const none = { request: 0, batch: 0 };
const idle = { api: none, workers: none, redis: none, postgres: none };
const setup = {
  ...{ doors: 1, workers: 1, slotsOfWorker: 2, postgresCores: 8 },
  ...{ clients: 400, fsyncUs: 0 },
};

test("two measured points give the cost of a request and of a batch", () => {
  const cpu = (api: number) => ({ api, workers: 0, redis: 0, postgres: 0 });
  const demands = demandsOf({ cpu: cpu(300), requestsPerBatch: 1 }, { cpu: cpu(105), requestsPerBatch: 40 });
  expect(demands.api.batch).toBeCloseTo(200);
  expect(demands.api.request).toBeCloseTo(100);
  expect(costOf(demands.api, 20)).toBeCloseTo(110);
});

test("the busiest program is the limit: so many requests as its time allows, and doubling it doubles them", () => {
  const workers = { request: 100, batch: 0 };
  const one = simulateWrites({ ...idle, workers }, setup);
  expect(one.perSecond / 10_000).toBeWithin(0.97, 1.03);
  expect(one.use.workers).toBeWithin(0.95, 1.01);
  const two = simulateWrites({ ...idle, workers }, { ...setup, doors: 2, workers: 2 });
  expect(two.perSecond / one.perSecond).toBeWithin(1.9, 2.1);
});

test("a lone client waits for the whole chain, and shares no batch", () => {
  const demands = { ...idle, api: { request: 100, batch: 50 }, postgres: { request: 200, batch: 300 } };
  const { p50Ms, requestsPerBatch } = simulateWrites(demands, { ...setup, clients: 1, fsyncUs: 350 });
  expect(p50Ms).toBeCloseTo(1);
  expect(requestsPerBatch).toBeCloseTo(1);
});

test("on shared cores all programs and the load generator take of the same time", () => {
  const each = { request: 100, batch: 0 };
  const demands = { api: each, workers: each, redis: each, postgres: each };
  const shared = { cores: 2, generatorUs: 100 };
  const { perSecond } = simulateWrites(demands, { ...setup, clients: 400, shared });
  expect(perSecond / (2_000_000 / 500)).toBeWithin(0.8, 1.01);
});
