import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callRest, testEnvironment } from "../../../harness.ts";
import { pidsOf, type RoleName, startRoles } from "../../../support/chaos/roles.ts";
import {
  connectRaw,
  type RawAnswer,
  type RawConnection,
  requestText,
  toolCallText,
} from "../../../support/raw.ts";
import { query } from "../../../support/reminder/stack.ts";
import { startBalancer } from "../../../support/servers/balancer.ts";

const roleNames: readonly RoleName[] = ["workers", "api"];
/** Keeps several processes from starting at the same time, which would take all cores from the serving ones. */
const apartMs = 700;

/** Two front doors behind a balancer, and two workers. */
async function startBehindBalancer() {
  const dataDir = await mkdtemp(join(tmpdir(), "kept-rolling-"));
  const env: Record<string, string> = {
    ...(await testEnvironment()),
    AUTH_URL: "",
    DATA_DIR: dataDir,
    // The balancer needs less time than this to notice.
    DRAIN_SECONDS: "1",
  };
  let returned = 0;
  const report = (line: string) => {
    if (line.includes(" is back ")) returned += 1;
  };
  const roles = await startRoles({ env, apis: 2, workers: 2, report });
  const doors = await startBalancer(roles.baseUrls.map((url) => Number(new URL(url).port)));
  return {
    databaseUrl: env.DATABASE_URL ?? "",
    port: doors.port,
    ownerToken: roles.details.owner_token ?? "",
    returned: () => returned,
    allHealthy: doors.allHealthy,
    async stop() {
      await roles.stop();
      await doors.stop();
      await rm(dataDir, { recursive: true });
    },
  };
}

test("a rolling restart of all front doors and workers fails no request", async () => {
  const service = await startBehindBalancer();
  await service.allHealthy();
  const load = await startSteadyLoad(service.port, service.ownerToken);
  await Bun.sleep(1_000);
  const pids = roleNames.map(pidsOf);
  for (const turn of [0, 1]) {
    const before = service.returned();
    for (const ofRole of pids) {
      process.kill(ofRole[turn] ?? Number.NaN, "SIGTERM");
      await Bun.sleep(apartMs);
    }
    while (service.returned() < before + roleNames.length) await Bun.sleep(50);
    await service.allHealthy();
  }
  const { requests, failed, made } = await load.stop();
  await service.stop();
  expect(failed).toEqual({});
  expect(requests).toBeGreaterThan(100);
  // One todo existed before.
  const [stored] = await query(service.databaseUrl, "select count(*)::int as count from todos");
  expect(stored.count).toBe(made + 1);
});

type Kind = Readonly<{ name: string; status: number; textOf(key: string): string }>;

const everyMs = 20;
/** A process that starts takes time from those that serve; they may then ask for a moment. */
const busy = 503;
const maxTries = 10;
const maxKept = 10;

/**
 * Sends 50 requests a second, regardless of earlier ones, and again only what meets a busy process: reads, changes, tool calls and pages in turn.
 * Every second one has its own connection; the others share a few.
 */
async function startSteadyLoad(port: number, token: string) {
  const kinds = await kindsOf(port, token);
  const kept: RawConnection[] = [];
  const counts: Record<string, number> = {};
  const underWay = new Set<Promise<void>>();
  let sent = 0;

  async function connectionFor(isKept: boolean): Promise<RawConnection> {
    const idle = isKept ? kept.shift() : undefined;
    return idle?.isOpen() ? idle : connectRaw(port);
  }
  function put(connection: RawConnection): void {
    if (connection.isOpen() && kept.length < maxKept) kept.push(connection);
    else connection.close();
  }
  async function send({ name, textOf }: Kind, isKept: boolean): Promise<void> {
    const text = textOf(crypto.randomUUID());
    let answer: RawAnswer | "refused" = busy;
    let connection: RawConnection | undefined;
    for (let tries = 1; answer === busy && tries <= maxTries; tries++) {
      if (tries > 1) await Bun.sleep(500);
      connection = await connectionFor(isKept).catch(() => undefined);
      answer = (await connection?.exchange(text)) ?? "refused";
    }
    counts[`${name} ${answer}`] = (counts[`${name} ${answer}`] ?? 0) + 1;
    if (connection && isKept) put(connection);
    else connection?.close();
  }

  const timer = setInterval(() => {
    const kind = kinds[sent % kinds.length] as Kind;
    const sending = send(kind, Math.floor(sent / kinds.length) % 2 === 0);
    sent += 1;
    underWay.add(sending);
    void sending.finally(() => underWay.delete(sending));
  }, everyMs);
  return {
    /** @returns the number of requests, of failures by kind, and of todos made according to the answers */
    async stop() {
      clearInterval(timer);
      await Promise.all(underWay);
      const isExpected = (count: string) => kinds.some(({ name, status }) => count === `${name} ${status}`);
      const failed = Object.fromEntries(Object.entries(counts).filter(([count]) => !isExpected(count)));
      return { requests: sent, failed, made: (counts["create 201"] ?? 0) + (counts["tool 200"] ?? 0) };
    },
  };
}

async function kindsOf(port: number, token: string): Promise<Kind[]> {
  const path = "/api/v1/todos";
  const body = { title: "Written" };
  const todo = await callRest({ baseUrl: `http://127.0.0.1:${port}` }, "POST", "/todos", { token, body });
  const kind = (name: string, status: number, textOf: Kind["textOf"]) => ({ name, status, textOf });
  const posted = (key: string, more: Readonly<{ path: string; body?: object }>) =>
    requestText({ method: "POST", token, headers: [`idempotency-key: ${key}`], ...more });
  const read = kind("read", 200, () => requestText({ method: "GET", path, token }));
  const create = kind("create", 201, (key) => posted(key, { path, body }));
  const toggle = kind("toggle", 200, (key) => posted(key, { path: `${path}/${todo.body.id}/toggle` }));
  const tool = kind("tool", 200, (idempotency_key) =>
    toolCallText(token, "create-todo", { ...body, idempotency_key }),
  );
  const page = kind("page", 200, () => requestText({ method: "GET", path: "/sign-in", token: "none" }));
  return [...[read, create, read, create, read], toggle, tool, page];
}
