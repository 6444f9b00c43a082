import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../../shared/embedded/servers/port.ts";
import { newInstance, processesOf, type Run, sharedParent, startKept, within } from "./instance.ts";

const parent = await sharedParent();
const instance = await newInstance(parent);
let run: Run = await startKept(instance);
afterAll(() => run.end("SIGKILL"));

const scripts = /(api|workers)\/main\.ts|embedded\/(together|main)\.ts/;
const processes = () =>
  [...processesOf(instance)].flatMap(([pid, command]) => {
    const [script] = scripts.exec(command) ?? [];
    return script ? [{ pid, script }] : [];
  });
const running = () =>
  processes()
    .map(({ script }) => script)
    .toSorted();
const token = readFileSync(join(instance.dataDir, "owner-token"), "utf8").trim();

const ask = (path: string, method: string, body?: object) =>
  fetch(`http://localhost:${instance.port}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
const create = async (title: string) => (await ask("/api/v1/todos", "POST", { title })).status;
const titles = async (): Promise<string[]> => {
  const { data } = (await (await ask("/api/v1/todos", "GET")).json()) as { data: { title: string }[] };
  return data.map(({ title }) => title);
};

test("one process is door, provider and worker, and one that freezes is replaced within 15 seconds", async () => {
  expect(running()).toEqual(["embedded/main.ts", "embedded/together.ts"]);
  expect(await create("Before")).toBe(201);
  const frozen = processes().find(({ script }) => script === "embedded/together.ts")?.pid ?? Number.NaN;
  process.kill(frozen, "SIGSTOP");
  await within(15, () => run.output().includes("kept ended (it hung); starting it again"));
  await within(15, async () => (await create("After")) === 201);
  expect(running()).toEqual(["embedded/main.ts", "embedded/together.ts"]);
  expect(await titles()).toEqual(["Before", "After"]);
});

test("with WORKERS the workers are processes of their own, each with its port", async () => {
  expect(await run.end("SIGTERM")).toBe(0);
  const workerPort = await freePort();
  run = await startKept({ ...instance, env: { WORKERS: "2", WORKER_PORT: String(workerPort) } });
  expect(running()).toEqual(["api/main.ts", "embedded/main.ts", "workers/main.ts", "workers/main.ts"]);
  for (const port of [workerPort, workerPort + 1])
    expect((await fetch(`http://127.0.0.1:${port}/health/ready`)).status).toBe(200);
  expect(await create("With two workers")).toBe(201);
  expect(await titles()).toEqual(["Before", "After", "With two workers"]);
});
