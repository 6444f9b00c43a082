import { afterAll, expect, test } from "bun:test";
import { freePort, testEnvironment } from "../../harness.ts";
import { descendants } from "../../support/chaos/descendants.ts";
import { untilAnswered } from "../../support/chaos/writer.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { root, serviceOf } from "../deploy/compose-file.ts";

const ports = { PORT: freePort(), WORKER_PORT: freePort() };
const env = {
  ...process.env,
  ...(await testEnvironment()),
  ...Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)])),
  DATA_DIR: temporaryFolder("watched"),
  LOG_LEVEL: "info",
};
const roles = [
  { name: "workers", port: ports.WORKER_PORT },
  { name: "api", port: ports.PORT },
];

/** A role as its container starts it, when it has said that it is ready. */
async function start(name: string) {
  const [, ...words] = serviceOf(name).command ?? [];
  const role = Bun.spawn([process.execPath, ...words], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const processOf = () => descendants().find(({ parent }) => parent === role.pid)?.pid ?? Number.NaN;
  // Without a container, a frozen process outlives the one that watches it.
  afterAll(() => {
    for (const { pid, parent } of descendants()) if (parent === role.pid) process.kill(pid, "SIGKILL");
    role.kill("SIGKILL");
  });
  const said: { level: number; msg: string }[] = [];
  const ready = Promise.withResolvers<void>();
  const over = (async () => {
    for await (const chunk of role.stdout.pipeThrough(new TextDecoderStream()))
      for (const line of chunk.trim().split("\n")) {
        said.push(JSON.parse(line));
        if (said.at(-1)?.msg === "ready") ready.resolve();
      }
  })();
  await ready.promise;
  return { role, processOf, said, over };
}

const untilLive = (port: number): Promise<Response> =>
  untilAnswered(
    () => fetch(`http://127.0.0.1:${port}/health/live`, { signal: AbortSignal.timeout(500) }),
    ({ ok }) => ok,
  );

test.each(roles)(
  "in a container a frozen $name is replaced within 15 seconds, the log says so, and SIGTERM still ends all",
  async ({ name, port }) => {
    const { role, processOf, said, over } = await start(name);
    const frozen = processOf();
    process.kill(frozen, "SIGSTOP");
    const since = performance.now();
    await untilLive(port);
    expect(performance.now() - since).toBeLessThan(15_000);
    expect(processOf()).not.toBe(frozen);
    role.kill("SIGTERM");
    expect(await role.exited).toBe(0);
    await over;
    expect(said.filter(({ level }) => level === 40)[0]?.msg).toBe(
      `${name} ended (it hung); starting it again`,
    );
  },
);
