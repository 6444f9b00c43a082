import type { Exposition } from "./metrics.ts";

type StatusPage = (headers: Headers, remoteAddress: () => string | undefined) => Promise<Response> | Response;

export const statusPaths = ["/health/live", "/health/accepting", "/health/ready", "/metrics"] as const;

/** True for paths of a balancer's questions. */
export const isAskedByBalancers = (path: string): boolean =>
  path === "/health/ready" || path === "/health/accepting";

/** @returns undefined for any other request */
export type FindStatusPage = (method: string, path: string) => StatusPage | undefined;

type StatusOf = Readonly<{
  exposition: Pick<Exposition, "answer">;
  ready(): Promise<Health>;
  isDraining(): boolean;
  /** The parts of this process that hang and need a restart. */
  hanging?(): string[];
}>;

const draining: Health = { status: "draining", missing: [] };

/**
 * The status pages of any process for orchestrators, balancers and Prometheus. A balancer asks for `accepting`, which
 * does not depend on shared servers: their outage must not remove every process at once.
 */
export function createStatusPages({
  exposition,
  ready,
  isDraining,
  hanging = () => [],
}: StatusOf): FindStatusPage {
  const pages: Record<string, StatusPage> & Record<(typeof statusPaths)[number], StatusPage> = {
    "/health/live"() {
      const hung = hanging();
      return statusResponse(hung.length === 0 ? { status: "ok" } : { status: "unavailable", hanging: hung });
    },
    "/health/accepting": () => statusResponse(isDraining() ? draining : { status: "ok" }),
    "/health/ready": async () => statusResponse(isDraining() ? draining : await ready()),
    "/metrics": exposition.answer,
  };
  return (method, path) => (method === "GET" || method === "HEAD" ? pages[path] : undefined);
}

const statusResponse = (body: Partial<Health> & Readonly<{ hanging?: readonly string[] }>): Response =>
  Response.json(body, {
    status: body.status === "ok" ? 200 : 503,
    headers: { "cache-control": "no-store" },
  });

/** The health of a process. `draining`: it still serves, but should get no more requests. */
export type Health = Readonly<{ status: "ok" | "unavailable" | "draining"; missing: string[] }>;

/**
 * A check for each dependency, which is missing if the answer is false, late or an error. It can name what else is
 * missing instead.
 */
type Checks = Readonly<Record<string, () => Promise<unknown>>>;

const patienceMs = 1_500;
const maxAgeMs = { atStart: 100, later: 1_000 };

/**
 * Checks what this process depends on, at most once a second, because anybody may ask: a front door's check costs a job
 * and a transaction. The first check is made at once, for the log.
 */
export function createHealthCheck(checks: Checks): () => Promise<Health> {
  let askAgainAt = Number.POSITIVE_INFINITY;
  let wasOk = false;
  const ask = async () => {
    const health = await checkAll(checks);
    wasOk ||= health.status === "ok";
    askAgainAt = performance.now() + (wasOk ? maxAgeMs.later : maxAgeMs.atStart);
    return health;
  };
  let latest = ask();
  return () => {
    if (performance.now() > askAgainAt) {
      askAgainAt = Number.POSITIVE_INFINITY;
      latest = ask();
    }
    return latest;
  };
}

async function checkAll(checks: Checks): Promise<Health> {
  const answers = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const late = Bun.sleep(patienceMs).then(() => false);
      const answered = await Promise.race([check().catch(() => false), late]);
      if (namesMissing(answered)) return [answered.missing];
      return answered === false ? [name] : [];
    }),
  );
  const missing = answers.flat();
  return { status: missing.length === 0 ? "ok" : "unavailable", missing };
}

const namesMissing = (answer: unknown): answer is Readonly<{ missing: string }> =>
  typeof answer === "object" && answer !== null && "missing" in answer && typeof answer.missing === "string";
