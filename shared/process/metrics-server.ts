import type { Config } from "./config.ts";
import type { Exposition } from "./metrics.ts";

/** Serves /metrics of a worker on WORKER_METRICS_PORT; nothing listens when that is 0. */
export function serveMetrics(
  { host, workerMetricsPort: port }: Pick<Config, "host" | "workerMetricsPort">,
  exposition: Exposition,
): { stop(): Promise<void> } {
  if (port === 0) return { stop: async () => {} };
  const server = Bun.serve({
    hostname: host ?? "127.0.0.1",
    port,
    fetch: (request, server) =>
      URL.parse(request.url)?.pathname === "/metrics"
        ? exposition.answer(request, server.requestIP(request)?.address)
        : new Response(null, { status: 404 }),
  });
  return { stop: () => server.stop(true) };
}
