import type { Health } from "./health.ts";
import type { Exposition } from "./metrics.ts";

/** The answer to a request by its headers and its sender's address. */
type StatusPage = (headers: Headers, remoteAddress: () => string | undefined) => Promise<Response> | Response;

/** The addresses of all status pages. */
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
