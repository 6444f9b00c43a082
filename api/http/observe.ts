import type { Tracing } from "../../shared/process/tracing.ts";
import type { Metrics } from "./metrics.ts";
import { noteTrace, requestIdOf } from "./request-origin.ts";

/** Passes the answer to a request on, and counts and traces it. */
export type Observe = (
  request: Request,
  route: Readonly<{ method: string; path: string }>,
  answer: () => Promise<Response>,
) => Promise<Response>;

export function createObserve({ measure }: Pick<Metrics, "measure">, tracing: Tracing | undefined): Observe {
  return async (request, { method, path }, answer) => {
    const span = tracing?.start({
      name: `${method} ${path}`,
      kind: "server",
      parent: request.headers.get("traceparent") ?? undefined,
      attributes: {
        "http.request.method": method,
        "http.route": path,
        "kept.request_id": requestIdOf(request),
      },
    });
    if (!span) return measure(method, path, answer);
    noteTrace(request, span.traceparent);
    let status = 500;
    try {
      const response = await measure(method, path, answer);
      status = response.status;
      return response;
    } finally {
      span.end({ "http.response.status_code": status }, status >= 500);
    }
  };
}
