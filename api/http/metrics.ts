import { timingSafeEqual } from "node:crypto";
import { collectDefaultMetrics, Histogram, Registry } from "prom-client";
import type { Config } from "../../shared/process/config.ts";

/** What one front door counts, in Prometheus' units (seconds). */
export type Metrics = Readonly<{
  /** Passes the answer on and counts how long it took. */
  measure(method: string, route: string, answer: () => Promise<Response>): Promise<Response>;
  /** The exposition, or 404 to whoever may not see it. */
  answer(request: Request, remoteAddress: string | undefined): Promise<Response>;
}>;

type Options = Pick<Config, "baseUrl" | "metricsToken">;

/** Who shows METRICS_TOKEN may read from anywhere; without one, only this machine may, and nobody behind https. */
export function createMetrics(options: Options): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: "kept_request_seconds",
    help: "Time from a request's arrival to its answer",
    labelNames: ["method", "route", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  });
  return {
    async measure(method, route, answer) {
      const started = performance.now();
      const response = await answer();
      requests.observe({ method, route, status: response.status }, (performance.now() - started) / 1000);
      return response;
    },
    async answer(request, remoteAddress) {
      if (!mayRead(request, remoteAddress, options)) return new Response(null, { status: 404 });
      return new Response(await registry.metrics(), { headers: { "content-type": registry.contentType } });
    },
  };
}

function mayRead(
  request: Request,
  remoteAddress: string | undefined,
  { baseUrl, metricsToken: token }: Options,
): boolean {
  if (token === undefined) return !baseUrl.startsWith("https:") && isLocal(request, remoteAddress);
  const shown = Buffer.from(request.headers.get("authorization") ?? "");
  const wanted = Buffer.from(`Bearer ${token}`);
  return shown.length === wanted.length && timingSafeEqual(shown, wanted);
}

/** By a name of this machine, too: a page in its browser may have a name of its own that leads here (DNS rebinding). */
function isLocal(request: Request, remoteAddress: string | undefined): boolean {
  if (isForwarded(request) || !/^(127\.|::1$|::ffff:127\.)/.test(remoteAddress ?? "")) return false;
  return /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i.test(request.headers.get("host") ?? "");
}

/** Through a proxy on this machine everybody seems to come from here. */
const isForwarded = ({ headers }: Request): boolean =>
  ["forwarded", "x-forwarded-for", "x-real-ip", "via"].some((name) => headers.has(name));
