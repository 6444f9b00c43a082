import {
  type FindStatusPage,
  isAskedByBalancers,
  statusPaths,
} from "../../shared/process/observe/status-pages.ts";
import type { Traffic } from "./drain.ts";
import { pathOf, withFullAddress } from "./request.ts";

/** Bun's handler of a route. */
type Take = (received: Request, server: Bun.Server<undefined>) => Promise<Response> | Response;

type Dependencies = Readonly<{
  findPage: FindStatusPage;
  traffic: Traffic;
  send(request: object, response: Response): Response;
  /** Answers requests that no status page takes, such as a POST. */
  take: Take;
}>;

/** Bun matches the status pages itself, so other requests are not compared with their addresses. */
export function statusRoutes({ findPage, traffic, send, take }: Dependencies): Record<string, Take> {
  const answer: Take = (received, server) => {
    const request = withFullAddress(received);
    const path = request && pathOf(request.url);
    const page = path && findPage(received.method, path);
    if (!page) return take(received, server);
    if (isAskedByBalancers(path)) traffic.lastAsked = performance.now();
    const answered = page(received.headers, () => server.requestIP(received)?.address);
    return answered instanceof Promise
      ? answered.then((response) => send(received, response))
      : send(received, answered);
  };
  return Object.fromEntries(statusPaths.map((path) => [path, answer]));
}
