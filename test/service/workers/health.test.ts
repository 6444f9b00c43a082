import { afterAll, expect, test } from "bun:test";
import { Registry } from "prom-client";
import { startApi } from "../../../api/start.ts";
import { loadConfig } from "../../../shared/process/config.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { createStatusPages } from "../../../shared/process/observe/status-pages.ts";
import {
  connectBlocking,
  connectFailFast,
  firstTry,
  workerSilenceMs,
} from "../../../shared/queue/connections.ts";
import { commandQueue, openQueue } from "../../../shared/queue/queues.ts";
import { giveSign } from "../../../shared/queue/signs-of-life.ts";
import { createHangWatch, createJobMetrics, openWorker } from "../../../workers/process/job-worker.ts";
import { startWorkers } from "../../../workers/start.ts";
import { freePort, startStack, testEnvironment } from "../../harness.ts";
import { openGate } from "../../support/chaos/gate.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { limitedUser } from "../../support/servers/redis-user.ts";
import { openConnections } from "../../support/servers/services.ts";

const env = await testEnvironment();
const { REDIS_URL = "", QUEUE_PREFIX: queuePrefix = "" } = env;
const gate = await openGate(REDIS_URL);
const workerPort = freePort();
const stack = await startStack({ env: { REDIS_URL: gate.url, WORKER_PORT: String(workerPort) } });
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
  gate.shut();
});

const ask = async (port: number, check: string): Promise<[number, unknown]> => {
  const answer = await fetch(`http://127.0.0.1:${port}/health/${check}`);
  return [answer.status, await answer.json()];
};

test("a worker hangs when it stops asking for jobs, and when a job does not end, but not while Redis is away", async () => {
  travelled += minuteMs;
  await eventually(() => watch.hanging().length === 0);

  await worker.pause();
  travelled += minuteMs;
  expect(watch.hanging()).toEqual(["commands queue"]);
  worker.resume();
  await eventually(() => watch.hanging().length === 0);

  const queue = openQueue<object>(commandQueue, { connection: publisher, queuePrefix });
  await queue.add("batch", {});
  await begun.promise;
  travelled += minuteMs;
  expect(watch.hanging()).toEqual(["commands queue", "commands"]);
  connection.disconnect();
  await eventually(() => connection.status !== "ready");
  expect(watch.hanging()).toEqual(["commands"]);
  release.resolve();
  await eventually(() => watch.hanging().length === 0);
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
    const answer = await find("GET", "/health/live")?.(new Headers(), () => undefined);
    return [answer?.status, await answer?.json()];
  };
  expect(await live()).toEqual([200, { status: "ok" }]);
  hanging.push("reminders");
  expect(await live()).toEqual([503, { status: "unavailable", hanging: ["reminders"] }]);
});

test("ready tells what is away; whether a process lives, and takes requests, does not depend on it", async () => {
  const [door, ports] = [stack.config.port, [stack.config.port, workerPort]];
  const allReady = async () => {
    for (const port of ports) await eventually(async () => (await ask(port, "ready"))[0] === 200);
  };
  await allReady();
  expect(await ask(door, "ready")).toEqual([200, { status: "ok", missing: [] }]);
  gate.shut();
  await eventually(async () => (await ask(workerPort, "ready"))[0] !== 200);
  expect(await ask(workerPort, "ready")).toEqual([503, { status: "unavailable", missing: ["redis"] }]);
  await eventually(async () => (await ask(door, "ready"))[0] !== 200);
  expect(await ask(door, "ready")).toEqual([503, { status: "unavailable", missing: ["redis", "worker"] }]);
  expect(await ask(door, "accepting")).toEqual([200, { status: "ok" }]);
  for (const port of ports) expect(await ask(port, "live")).toEqual([200, { status: "ok" }]);
  await gate.open();
  await allReady();
});

test("a worker stops while Redis is away, and leaves no connection", async () => {
  const env = await testEnvironment();
  const gate = await openGate(env.REDIS_URL ?? "");
  const port = freePort();
  const settings = { REDIS_URL: gate.url, WORKER_PORT: String(port), AUTH_URL: "http://localhost:1" };
  const config = loadConfig({ ...env, ...settings });
  const workers = await startWorkers({ config, log: createLog("test", "silent") });
  gate.shut();
  const missing = () =>
    fetch(`http://127.0.0.1:${port}/health/ready`).then((answer) => answer.json() as Promise<object>);
  await eventually(async () => JSON.stringify(await missing()).includes("redis"));
  await workers.stop();
  expect(await openConnections(config.databaseUrl)).toBe(0);
});

test("a door is ready once a command has passed the queue and people can sign in, whatever else answers", async () => {
  const [port, missing] = [freePort(), async () => (await ask(port, "ready"))[1]];
  const own = await testEnvironment();
  const config = loadConfig({ ...own, PORT: String(port), AUTH_URL: stack.config.authUrl });
  const log = createLog("test", "silent");
  const door = await startApi({ config, log });
  const signs = setInterval(() => giveSign(publisher, config.queuePrefix), 100);
  for (let turn = 0; turn < 2; turn++) expect(await missing()).toMatchObject({ missing: ["worker"] });
  const workers = await startWorkers({ config, log });
  await eventually(async () => (await ask(port, "ready"))[0] === 200);
  clearInterval(signs);
  await Promise.all([door.stop(), workers.stop()]);

  const noProvider = await startApi({ config: { ...config, authUrl: "http://localhost:1" }, log });
  expect(await missing()).toMatchObject({ missing: expect.arrayContaining(["sign-in"]) });
  await noProvider.stop();
});

test("processes whose user of Redis may not add to the queue are not ready", async () => {
  const own = await testEnvironment();
  const rights = `~${own.QUEUE_PREFIX}:* ~{${own.QUEUE_PREFIX}}:commands:meta &* +@all`;
  const [port, statusPort] = [freePort(), freePort()];
  const config = loadConfig({
    ...{ ...own, PORT: String(port), WORKER_PORT: String(statusPort), AUTH_URL: stack.config.authUrl },
    REDIS_URL: await limitedUser(REDIS_URL, rights),
  });
  const log = createLog("test", "silent");
  const parts = await Promise.all([startApi({ config, log }), startWorkers({ config, log })]);
  giveSign(publisher, config.queuePrefix);
  expect((await ask(port, "ready"))[1]).toMatchObject({ missing: ["redis", "worker"] });
  expect((await ask(statusPort, "ready"))[1]).toMatchObject({ missing: ["redis"] });
  await Promise.all(parts.map((part) => part.stop()));
});
