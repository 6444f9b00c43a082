import { expect, test } from "bun:test";
import { loadConfig } from "../../../shared/process/config.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { startWorkers } from "../../../workers/start.ts";
import { freePort, testEnvironment } from "../../harness.ts";
import { openGate } from "../../support/chaos/gate.ts";
import { openConnections } from "../../support/servers/services.ts";

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
  while (!JSON.stringify(await missing()).includes("redis")) await Bun.sleep(50);
  await workers.stop();
  expect(await openConnections(config.databaseUrl)).toBe(0);
}, 9_000);
