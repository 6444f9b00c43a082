import { join } from "node:path";
import { freePort } from "../../shared/embedded/port.ts";
import { launchRole } from "../../shared/embedded/role-process.ts";
import { testEnvironment } from "../harness.ts";
import { startIssuer } from "../support/issuer.ts";
import { requestText } from "../support/raw.ts";
import { type Balanced, startBalancer } from "./balancer.ts";
import type { Figure } from "./figure.ts";

const rounds = 10;
const clients = 20;
const pauseMs = 10;

/** All doors and workers are ended by SIGTERM and started anew, one after another, while clients write and read. */
export const rolling: Figure = async () => {
  const ports = await Promise.all([freePort(), freePort()]);
  const baseUrl = `http://127.0.0.1:${ports[0]}`;
  const issuer = await startIssuer(baseUrl);
  const common = {
    ...process.env,
    ...(await testEnvironment()),
    BASE_URL: baseUrl,
    AUTH_URL: issuer.url,
    LOG_LEVEL: "silent",
  };
  const launches = [
    ...ports.map((port) => launcher("api", { ...common, PORT: String(port) })),
    ...[0, 1].map(() => launcher("workers", common)),
  ];
  const lives = launches.map((launch) => launch());
  await Promise.all(lives.map(({ ready }) => ready));
  const balancer = startBalancer(ports);
  let over = false;
  const answers: Balanced[] = [];
  const load = Array.from({ length: clients }, async (_, n) => {
    const token = await issuer.token({ sub: `user ${n}` });
    const path = "/api/v1/todos";
    const write = requestText({ method: "POST", path, token, body: { title: "Rolling" } });
    const read = requestText({ method: "GET", path, token });
    const send = balancer.client(n % 2 === 0);
    for (let turn = 0; !over; turn++) {
      answers.push(await send(turn % 2 === 0 ? write : read));
      await Bun.sleep(pauseMs);
    }
  });
  await Bun.sleep(500);
  for (let round = 0; round < rounds; round++) {
    for (const [n, launch] of launches.entries()) {
      await lives[n]?.stop();
      const life = launch();
      lives[n] = life;
      await life.ready;
    }
  }
  over = true;
  await Promise.all(load);
  balancer.stop();
  await Promise.all(lives.map((life) => life.stop()));
  await issuer.stop();
  const failed = answers.filter((answer) => typeof answer === "string" || answer >= 300);
  const kinds = [...Map.groupBy(failed, String)].map(([kind, { length }]) => `${length} × ${kind}`);
  return [
    {
      figure: `rolling restart of two doors and two workers, ${rounds} times`,
      goal: "0 failed requests",
      measured: `${failed.length} of ${answers.length} failed${kinds.length > 0 ? ` (${kinds.join(", ")})` : ""}`,
      ok: failed.length === 0 && answers.length > 0,
    },
  ];
};

const launcher = (name: "api" | "workers", env: Record<string, string | undefined>) => () =>
  launchRole({ name, script: join(import.meta.dir, "../..", name, "main.ts") }, env);
