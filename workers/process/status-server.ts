import type { Config } from "../../shared/process/config.ts";
import type { FindStatusPage } from "../../shared/process/observe/status-pages.ts";

/** Serves health and metrics of a worker on WORKER_PORT; nothing listens when that is 0. */
export function serveStatus(
  { host, workerPort: port }: Pick<Config, "host" | "workerPort">,
  findPage: FindStatusPage,
): { stop(): Promise<void> } {
  if (port === 0) return { stop: async () => {} };
  const server = Bun.serve({
    hostname: host ?? "127.0.0.1",
    port,
    fetch(request, server) {
      const page = findPage(request.method, URL.parse(request.url)?.pathname ?? "");
      return (
        page?.(request.headers, () => server.requestIP(request)?.address) ??
        new Response(null, { status: 404 })
      );
    },
  });
  return { stop: () => server.stop(true) };
}
