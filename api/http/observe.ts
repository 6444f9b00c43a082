import type { Histogram } from "prom-client";
import type { TraceSpan, Tracing } from "../../shared/process/observe/tracing.ts";
import { idleMsOf, noteTrace, requestIdOf } from "./request.ts";

/** Counts and traces an answer, and passes it on. */
export type Observe = (
  request: Request,
  route: Readonly<{ method: string; path: string }>,
  answer: () => Promise<Response>,
) => Promise<Response>;

/** Labels of the request histogram, in seconds. */
export type RequestSeconds = Histogram<"method" | "route" | "status">;

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
