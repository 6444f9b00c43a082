import { afterAll, expect } from "bun:test";
import { startApi } from "../api/start.ts";
import { type Config, loadConfig } from "../shared/process/config.ts";
import { type DatabaseRole, roleUrlsOf } from "../shared/process/database-roles.ts";
import { createLog, type Log } from "../shared/process/observe/log.ts";
import { startWorkers } from "../workers/start.ts";
import { type Introspect, type Issuer, startIssuer } from "./support/servers/issuer.ts";
import { startPooler } from "./support/servers/pgbouncer.ts";
import { type Prism, startPrism, violationsIn } from "./support/servers/prism.ts";
import { createDatabase, freePort, isPooled, openConnections, services } from "./support/servers/services.ts";

export { createDatabase, freePort } from "./support/servers/services.ts";

export type Answer = Readonly<{ status: number; headers: Headers; body: JsonBody }>;
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape is what they assert
export type JsonBody = any;

type Call = Readonly<{
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** A validating proxy before the service. */
  prism?: Prism | undefined;
}>;

export type Stack = Readonly<{
  config: Config;
  issuer: Issuer;
  /** Epoch ms of the front doors' and the workers' clock; assign to travel in time. */
  clock: { now: number | undefined };
  /** One REST call; the path is below /api/v1, the default token has all scopes. */
  rest(method: string, path: string, call?: Call): Promise<Answer>;
}>;

type StackOptions = Readonly<{
  env?: Record<string, string>;
  workers?: number;
  introspect?: Introspect;
  /** Takes what doors and workers log; unset: the output of the tests. */
  log?: Log;
}>;

/**
 * The whole service in this process, on a database and queue prefix of its own; stopped after the test file,
 * which fails if anything is left connected.
 */
export async function startStack({
  env = {},
  workers = 1,
  introspect,
  ...options
}: StackOptions = {}): Promise<Stack> {
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
    startApi({ config: own("door"), log, now }),
    ...Array.from({ length: workers }, () => startWorkers({ config: own("worker"), log, now })),
  ]);
  const prism = Bun.env.PRISM === "yes" ? await startPrism(`${baseUrl}/api/v1`) : undefined;
  afterAll(async () => {
    await prism?.stop();
    for (const part of parts) await part.stop();
    await issuer.stop();
    await pooler?.stop();
    expect(await openConnections(config.databaseUrl)).toBe(0);
  });
  const defaultToken = await issuer.token();
  return {
    config,
    issuer,
    clock,
    rest: (method, path, call) => callRest(config, method, path, { token: defaultToken, prism, ...call }),
  };
}

/** The settings of a process; those of tests have the address of the owner. */
export const asRole = (config: Config, role: DatabaseRole): Config => ({
  ...config,
  databaseUrl: roleUrlsOf(config.databaseUrl)[role],
});

/**
 * Starts a pooler before the database of `config`.
 * @returns the settings of each role behind it
 */
async function poolerFor({ databaseUrl }: Config) {
  const { pooled, prepare, stop } = await startPooler(
    (await services()).databaseUrl,
    new URL(databaseUrl).pathname.slice(1),
  );
  const behind = (url: string) => ({ databaseUrl: url, databasePrepare: prepare === "yes" });
  return { door: behind(pooled.door), worker: behind(pooled.worker), stop };
}

/** Settings of a service on a fresh database and queue prefix, without a rate limit. */
export async function testEnvironment(): Promise<Record<string, string>> {
  const [databaseUrl, { redisUrl }] = await Promise.all([createDatabase(), services()]);
  return {
    HOST: "127.0.0.1",
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    QUEUE_PREFIX: `test-${crypto.randomUUID()}`,
    RATE_LIMIT_PER_MINUTE: "0",
    LOG_LEVEL: "error",
  };
}

export async function callRest(
  { baseUrl }: Pick<Config, "baseUrl">,
  method: string,
  path: string,
  { token, body, headers, prism }: Call,
): Promise<Answer> {
  // Prism cannot read these bodies and answers them itself.
  const proxied = typeof body === "string" ? undefined : prism;
  const response = await fetch(`${proxied?.url ?? `${baseUrl}/api/v1`}${path}`, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (proxied) expect([method, path, ...violationsIn(response)]).toEqual([method, path]);
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? undefined : JSON.parse(text),
  };
}
