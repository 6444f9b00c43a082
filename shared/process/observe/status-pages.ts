import type { Health } from "./health.ts";
import type { Exposition } from "./metrics.ts";

/** What the request says, and who sent it. */
type StatusPage = (headers: Headers, remoteAddress: () => string | undefined) => Promise<Response> | Response;

/** The addresses of all status pages. */
export const statusPaths = ["/health/live", "/health/accepting", "/health/ready", "/metrics"] as const;

/** Whether a balancer decides by the page at this path where to send requests. */
export const isAskedByBalancers = (path: string): boolean =>
  path === "/health/ready" || path === "/health/accepting";

/** @returns undefined when the request is for something else */
export type FindStatusPage = (method: string, path: string) => StatusPage | undefined;

type StatusOf = Readonly<{
  exposition: Pick<Exposition, "answer">;
  ready(): Promise<Health>;
  isDraining(): boolean;
  /** The parts of this process that hang, so that only a restart helps. */
  hanging?(): string[];
}>;

const draining: Health = { status: "draining", missing: [] };

/**
 * What orchestrators, balancers and Prometheus ask of any process. A balancer asks whether it is `accepting`, which does
 * not depend on the servers that all processes share: their outage must not take every process out at once.
 */
export function createStatusPages({
  exposition,
  ready,
  isDraining,
  hanging = () => [],
}: StatusOf): FindStatusPage {
  const pages: Record<string, StatusPage> & Record<(typeof statusPaths)[number], StatusPage> = {
    "/health/live": () => liveness(hanging()),
    "/health/accepting": () => statusResponse(isDraining() ? draining : { status: "ok" }),
    "/health/ready": async () => statusResponse(isDraining() ? draining : await ready()),
    "/metrics": exposition.answer,
  };
  return (method, path) => (method === "GET" || method === "HEAD" ? pages[path] : undefined);
}

const liveness = (hanging: readonly string[]): Response =>
  statusResponse(hanging.length === 0 ? { status: "ok" } : { status: "unavailable", hanging });

const statusResponse = (body: Partial<Health> & Readonly<{ hanging?: readonly string[] }>): Response =>
  Response.json(body, {
    status: body.status === "ok" ? 200 : 503,
    headers: { "cache-control": "no-store" },
  });
