import { afterAll, expect, test } from "bun:test";
import { Registry } from "prom-client";
import { createHangWatch } from "../../shared/process/hang-watch.ts";
import { createLog } from "../../shared/process/log.ts";
import { createStatusPages } from "../../shared/process/status-pages.ts";
import {
  connectBlocking,
  connectFailFast,
  firstTry,
  workerSilenceMs,
} from "../../shared/queue/connections.ts";
import { createJobMetrics } from "../../shared/queue/job-metrics.ts";
import { commandQueue, openQueue, openWorker } from "../../shared/queue/queues.ts";
import { testEnvironment } from "../harness.ts";

const { REDIS_URL = "", QUEUE_PREFIX: queuePrefix = "" } = await testEnvironment();
const minuteMs = 61_000;
let travelled = 0;
const watch = createHangWatch(() => performance.now() + travelled);
const begun = Promise.withResolvers<void>();
const release = Promise.withResolvers<void>();
const connection = connectBlocking(REDIS_URL, workerSilenceMs);
const publisher = connectFailFast(REDIS_URL);
await Promise.all([firstTry(connection), firstTry(publisher)]);
const worker = openWorker<object>(commandQueue, {
  connection,
  queuePrefix,
  concurrency: 1,
  log: createLog("test", "silent"),
  metrics: createJobMetrics(new Registry()),
  watch,
  process() {
    begun.resolve();
    return release.promise;
  },
});
afterAll(async () => {
  await worker.close(true);
  connection.disconnect();
  publisher.disconnect();
});

const until = async (holds: () => boolean) => {
  while (!holds()) await Bun.sleep(20);
};

test("a worker hangs when it stops asking for jobs, and when a job does not end, but not while Redis is away", async () => {
  travelled += minuteMs;
  await until(() => watch.hanging().length === 0);

  await worker.pause();
  travelled += minuteMs;
  expect(watch.hanging()).toEqual(["commands queue"]);
  worker.resume();
  await until(() => watch.hanging().length === 0);

  const queue = openQueue<object>(commandQueue, { connection: publisher, queuePrefix });
  await queue.add("batch", {});
  await begun.promise;
  travelled += minuteMs;
  expect(watch.hanging()).toEqual(["commands queue", "commands"]);
  connection.disconnect();
  await until(() => connection.status !== "ready");
  expect(watch.hanging()).toEqual(["commands"]);
  release.resolve();
  await until(() => watch.hanging().length === 0);
  await queue.close();
});

test("a process in which something hangs says so to whoever asks whether it lives", async () => {
  const hanging: string[] = [];
  const find = createStatusPages({
    exposition: { answer: async () => new Response() },
    ready: async () => ({ status: "ok", missing: [] }),
    isDraining: () => false,
    hanging: () => hanging,
  });
  const live = async () => {
    const answer = await find("GET", "/health/live")?.(new Headers(), undefined);
    return [answer?.status, await answer?.json()];
  };
  expect(await live()).toEqual([200, { status: "ok" }]);
  hanging.push("reminders");
  expect(await live()).toEqual([503, { status: "unavailable", hanging: ["reminders"] }]);
});
