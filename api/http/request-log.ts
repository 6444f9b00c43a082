import type { Log } from "../../shared/process/log.ts";
import { loggedPath } from "./logged-path.ts";
import { loggedIds } from "./request-origin.ts";

/** Logs requests at the level `debug`: at any other, they must cost nothing. */
type RequestLog = (request: Request, response: Response, tookMs: number) => void;

export function createRequestLog(log: Log): RequestLog {
  if (!log.isLevelEnabled("debug")) return () => {};
  return (request, { status }, tookMs) => {
    const { method, url } = request;
    log.debug(
      { ...loggedIds(request), method, path: loggedPath(url), status, ms: Math.round(tookMs) },
      "answered",
    );
  };
}
