import { Counter, Gauge, Histogram } from "prom-client";
import type { Config } from "../../shared/process/config.ts";
import { createExposition, showPools } from "../../shared/process/observe/metrics.ts";
import type { TraceSpan, Tracing } from "../../shared/process/observe/tracing.ts";
import type { Mailbox } from "../mailbox/mailbox.ts";
import { idleMsOf, noteTrace, requestIdOf } from "./request.ts";

export type Observe = (
  request: Request,
  route: Readonly<{ method: string; path: string }>,
  answer: () => Promise<Response>,
) => Promise<Response>;

/** Labels of the request histogram, in seconds. */
type RequestSeconds = Histogram<"method" | "route" | "status">;

export function createObserve(requestSeconds: RequestSeconds, tracing: Tracing | undefined): Observe {
  return async (request, route, answer) => {
    const span = tracing && startSpan(tracing, request, route);
    const began = performance.now();
    const response = await (span ? answerWithin(span, answer) : answer());
    const labels = { method: route.method, route: route.path, status: response.status };
    requestSeconds.observe(labels, (performance.now() - began - idleMsOf(request)) / 1_000);
    return response;
  };
}

async function answerWithin(span: TraceSpan, answer: () => Promise<Response>): Promise<Response> {
  let status = 500;
  try {
    const response = await answer();
    status = response.status;
    return response;
  } finally {
    span.end({ "http.response.status_code": status }, status >= 500);
  }
}

function startSpan(tracing: Tracing, request: Request, { method, path }: Parameters<Observe>[1]) {
  const span = tracing.start({
    name: `${method} ${path}`,
    kind: "server",
    parent: request.headers.get("traceparent") ?? undefined,
    attributes: {
      "http.request.method": method,
      "http.route": path,
      "kept.request_id": requestIdOf(request),
    },
  });
  if (span) noteTrace(request, span.traceparent);
  return span;
}

export type Metrics = ReturnType<typeof createMetrics>;

/** The counts of one front door, in Prometheus' units (seconds). */
export function createMetrics(config: Pick<Config, "baseUrl" | "metricsToken">) {
  const { registry, answer } = createExposition(config);
  const requestSeconds: RequestSeconds = new Histogram({
    name: "kept_request_seconds",
    help: "Time from a request's arrival to its answer",
    labelNames: ["method", "route", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  });
  const fallbacks = new Counter({
    name: "kept_rate_limit_fallbacks_total",
    help: "Requests that this front door counted by itself, because Redis did not",
    registers: [registry],
  });
  return {
    registry,
    requestSeconds,
    answer,
    countFallback: () => fallbacks.inc(),
    /** Shows, at each scrape, numbers that the parts of the door have. */
    show(mailbox: Pick<Mailbox, "waiting">, pools: Parameters<typeof showPools>[1]) {
      showPools(registry, pools);
      new Gauge({
        name: "kept_mailbox_commands",
        help: "Commands that wait here for the next batch",
        registers: [registry],
        collect() {
          this.set(mailbox.waiting());
        },
      });
    },
  };
}
