import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Pool } from "pg";
import type { Registry } from "prom-client";
import { showPools } from "../../shared/db/pool-metrics.ts";
import { createPostgresCheck } from "../../shared/db/schema-guard.ts";
import type { Config } from "../../shared/process/config.ts";
import { createHealthCheck } from "../../shared/process/observe/health.ts";
import type { Log } from "../../shared/process/observe/log.ts";
import { createExposition } from "../../shared/process/observe/metrics.ts";
import { createStatusPages, isAskedByBalancers } from "../../shared/process/observe/status-pages.ts";
import { drain, noTraffic } from "../http/drain.ts";
import { pathOf } from "../http/request.ts";

/** Answers health checks of this process, and sends clients elsewhere when it stops. */
type Lifecycle = Readonly<{
  /** The counts for /metrics of this process. */
  registry: Registry;
  /** Wraps the listener for all other requests. */
  wrap(listener: RequestListener): RequestListener;
  /** Resolves when no more requests come, or some time after the drain time. */
  drain(): Promise<void>;
}>;

export function createLifecycle(
  { authUrl, metricsToken, drainSeconds }: Pick<Config, "authUrl" | "metricsToken" | "drainSeconds">,
  { pool, log }: Readonly<{ pool: Pool; log: Log }>,
): Lifecycle {
  const traffic = noTraffic();
  let underWay = 0;
  const exposition = createExposition({ baseUrl: authUrl, metricsToken });
  showPools(exposition.registry, { primary: pool });
  const findStatusPage = createStatusPages({
    exposition,
    ready: createHealthCheck({ postgres: createPostgresCheck(pool, log) }),
    isDraining: () => traffic.isStopping,
  });
  return {
    registry: exposition.registry,
    wrap: (listener) => (request, response) => {
      const { method = "", url = "" } = request;
      const path = pathOf(url);
      if (isAskedByBalancers(path)) traffic.lastAsked = performance.now();
      else if (path !== "/health/live") traffic.lastRequest = performance.now();
      underWay += 1;
      response.once("close", () => {
        underWay -= 1;
      });
      if (traffic.isStopping) response.setHeader("connection", "close");
      // These headers stop type guessing and a downgrade to http, as at the front door.
      response.setHeader("X-Content-Type-Options", "nosniff");
      if (authUrl.startsWith("https:")) response.setHeader("Strict-Transport-Security", "max-age=31536000");
      const page = findStatusPage(method, path);
      if (!page) return listener(request, response);
      void reply(
        response,
        page(headersOf(request), () => request.socket.remoteAddress),
      );
    },
    drain: () => drain(traffic, { drainSeconds, isBusy: () => underWay > 0 }),
  };
}

const headersOf = ({ headers }: IncomingMessage): Headers =>
  new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]));

async function reply(response: ServerResponse, answer: Promise<Response> | Response): Promise<void> {
  const answered = await answer;
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  response.end(await answered.text());
}
