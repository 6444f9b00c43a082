import { afterAll, expect } from "bun:test";
import { SQL } from "bun";
import { startApi } from "../api/start.ts";
import { type Config, loadConfig } from "../shared/process/config.ts";
import { type DatabaseRole, roleUrlsOf } from "../shared/process/database-roles.ts";
import { createLog, type Log } from "../shared/process/observe/log.ts";
import { startWorkers } from "../workers/start.ts";
import { once } from "./support/once.ts";
import { openPageDoor, type PageDoor } from "./support/page-door.ts";
import { patiently } from "./support/patiently.ts";
import { type Introspect, type Issuer, startIssuer } from "./support/servers/issuer.ts";
import { startPooler } from "./support/servers/pgbouncer.ts";
import { createDatabase, freePort, isPooled, openConnections, services } from "./support/servers/services.ts";

export { createDatabase, freePort } from "./support/servers/services.ts";

export type Answer = Readonly<{ status: number; headers: Headers; body: JsonBody }>;
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape is what they assert
export type JsonBody = any;

type Call = Readonly<{
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
}>;

export type Stack = Readonly<{
  config: Config;
  /** The facts that the door tells at its start. */
  details: Readonly<Record<string, string>>;
  issuer: Issuer;
  /** The user of tokens without a `sub`. */
  sub: string;
  /** Epoch ms of the front doors' and the workers' clock; assign to travel in time. */
  clock: { now: number | undefined };
  /** The owner of the database, past all doors. */
  sql: SQL;
  /** The way of the account pages' commands into the stack. */
  page(): Promise<PageDoor>;
  /** One REST call; the path is below /api/v1, the default token has all scopes. */
  rest(method: string, path: string, call?: Call): Promise<Answer>;
}>;

export type StackOptions = Readonly<{
  env?: Record<string, string>;
  workers?: number;
  introspect?: Introspect;
  /** Takes what doors and workers log; unset: the output of the tests. */
  log?: Log;
  /** Certificates that the built-in provider trusts. */
  ca?: string;
}>;

type RunningStack = Stack & Readonly<{ stop(): Promise<void> }>;

/** The file that first used a name of a user in this process. */
const users = new Map<unknown, string>();

/**
 * The stack of this process, with a person of its own for the file: `rest` and tokens without a `sub` are theirs. With
 * `travels` the clock can be moved, on a second stack of the process.
 */
export async function useStack({ travels = false } = {}): Promise<Stack> {
  const stack = await once(travels ? "travelling stack" : "stack", () => runStack({ workers: 2 }));
  stack.clock.now = undefined;
  return asPerson(travels ? stack : { ...stack, clock: Object.freeze({ now: undefined }) });
}

/** @throws when a token asks for a user of another file, whose rows it would see */
export async function asPerson(stack: Stack): Promise<Stack> {
  const { rest, issuer } = stack;
  const sub = `ada-${crypto.randomUUID()}`;
  const token: Issuer["token"] = (claims, header) => {
    const all: Record<string, unknown> = { sub, ...claims };
    if ((users.get(all.sub) ?? sub) !== sub) throw new Error(`Another file has the user ${all.sub}.`);
    users.set(all.sub, sub);
    return issuer.token(all, header);
  };
  const own = await token();
  return {
    ...stack,
    sub,
    issuer: { ...issuer, token, claims: () => ({ ...issuer.claims(), sub }) },
    rest: (method, path, call) => rest(method, path, { token: own, ...call }),
  };
}

/**
 * A stack for one file, for tests of settings, faults, starts and stops. It is stopped after the file, which fails if
 * anything is left connected.
 */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const stack = await runStack(options);
  afterAll(async () => {
    await stack.stop();
    expect(await openConnections(stack.config.databaseUrl)).toBe(0);
  });
  return stack;
}

/** The whole service in this process, on a database and queue prefix of its own. */
export async function runStack({
  env = {},
  workers = 1,
  introspect,
  ...options
}: StackOptions): Promise<RunningStack> {
  const port = freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const issuer = await startIssuer(baseUrl, introspect);
  const config = loadConfig({
    ...(await testEnvironment()),
    PORT: String(port),
    BASE_URL: baseUrl,
    AUTH_URL: issuer.url,
    ...env,
  });
  const { log = createLog("test", config.logLevel) } = options;
  const clock: Stack["clock"] = { now: undefined };
  const now = () => clock.now ?? Date.now();
  const pooler = isPooled ? await poolerFor(config) : undefined;
  const own = (role: "door" | "worker") => (pooler ? { ...config, ...pooler[role] } : asRole(config, role));
  const parts = await Promise.all([
    startApi({ config: own("door"), log, now, ...(options.ca !== undefined && { ca: options.ca }) }),
    ...Array.from({ length: workers }, () => startWorkers({ config: own("worker"), log, now })),
  ]);
  const defaultToken = await issuer.token();
  const sql = new SQL(config.databaseUrl, { max: 2 });
  let page: Promise<PageDoor> | undefined;
  return {
    ...{ config, sql },
    details: { ...parts[0]?.details },
    issuer,
    sub: "ada",
    clock,
    rest: (method, path, call) => callRest(config, method, path, { token: defaultToken, ...call }),
    page: () => (page ??= openPageDoor({ config, clock })),
    async stop() {
      await (await page)?.close();
      for (const part of parts) await part.stop();
      await Promise.all([sql.close(), issuer.stop()]);
      await pooler?.stop();
    },
  };
}

/** The settings of a process; those of tests have the address of the owner. */
export function asRole(config: Config, role: DatabaseRole): Config {
  const urls = roleUrlsOf(config.databaseUrl);
  return { ...config, databaseUrl: urls[role], roleUrls: { ...config.roleUrls, identity: urls.identity } };
}

/**
 * Starts a pooler before the database of `config`.
 * @returns the settings of each role behind it
 */
async function poolerFor(config: Config) {
  const { pooled, prepare, stop } = await startPooler(
    (await services()).databaseUrl,
    new URL(config.databaseUrl).pathname.slice(1),
  );
  const roleUrls = { ...config.roleUrls, identity: pooled.identity };
  const behind = (url: string) => ({ databaseUrl: url, roleUrls, databasePrepare: prepare === "yes" });
  return { door: behind(pooled.door), worker: behind(pooled.worker), stop };
}

/** Settings of a service on a fresh database and queue prefix, without rate limits, with account pages. */
export async function testEnvironment(): Promise<Record<string, string>> {
  const [databaseUrl, { redisUrl }] = await Promise.all([createDatabase(), services()]);
  return {
    HOST: "127.0.0.1",
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    QUEUE_PREFIX: `test-${crypto.randomUUID()}`,
    RATE_LIMIT_PER_MINUTE: "0",
    MCP_RATE_LIMIT_PER_MINUTE: "0",
    WEBHOOK_ALLOW_LOOPBACK: "yes",
    AUTH_CLIENT_ID: "kept",
    AUTH_CLIENT_SECRET: "s",
    LOG_LEVEL: "error",
  };
}

/** The answer of a service that is not too busy. */
export const callRest: typeof callOnce = (config, method, path, call) =>
  patiently(
    () => callOnce(config, method, path, call),
    ({ status, headers, body }) =>
      status === 503 &&
      headers.get("retry-after") === "1" &&
      (method === "GET" || call.headers?.["idempotency-key"] !== undefined || body?.applied === "no"),
  );

/** One request, whatever its answer. */
export async function callOnce(
  { baseUrl }: Pick<Config, "baseUrl">,
  method: string,
  path: string,
  { token, body, headers }: Call,
): Promise<Answer> {
  const response = await fetch(`${baseUrl}/api/v1${path}`, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? undefined : JSON.parse(text),
  };
}
