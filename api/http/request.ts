import type { Log } from "../../shared/process/observe/log.ts";
import type { RequestOrigin } from "../mailbox/dispatch.ts";

/**
 * Gives a request without a Host header (HTTP/1.0) a full address: URL refuses a mere path, and Elysia expects a host
 * of at least four characters before it. Nothing of ours depends on the host in the URL.
 * @returns undefined when the header is no host, or there are two (RFC 9112 §3.2)
 */
export function withFullAddress(request: Request): Request | undefined {
  const { url } = request;
  const host = request.headers.get("host");
  if (host?.includes(",")) return undefined;
  if (/^https?:\/\/[^/]{4}/.test(url)) return URL.canParse(url) ? request : undefined;
  if (host && !URL.canParse(url)) return undefined;
  const path = url.replace(/^https?:\/\/[^/]*/, "");
  return new Request(`http://localhost${path}`, request);
}

/** The path of an address, as it was sent. This costs less than parsing it. */
export function pathOf(url: string): string {
  const from = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3);
  const query = url.indexOf("?", from);
  return query < 0 ? url.slice(from) : url.slice(from, query);
}

type Entry = Readonly<{
  /** Ends being counted as under way. */
  leave(): void;
  /** The network of the client. */
  network(): string;
}>;

/** The step of a trace that answers a request; empty where it is not traced. */
type Trace = Pick<RequestOrigin, "traceparent">;
type KnownRequest = { readonly id: string; hasChanged: boolean; trace: Trace; entry: Entry | undefined };

const requests = new WeakMap<object, KnownRequest>();

/** The facts are kept beside the request, because every answerer has the request anyway. */
export function noteRequest(request: object, entry?: Entry): KnownRequest {
  const known = { id: Bun.randomUUIDv7(), hasChanged: false, trace: {}, entry };
  requests.set(request, known);
  return known;
}

const know = (request: object): KnownRequest => requests.get(request) ?? noteRequest(request);

/**
 * The id of a request: its answer has it (`X-Request-Id`), and so have the lines of the logs about it and the row of the
 * action log. It is a key there, so it is always ours.
 */
export const requestIdOf = (request: object): string => know(request).id;

/**
 * The place where a change comes in. The request's id is that of its first change; a page may make several by one
 * request, and the others have ids of their own.
 */
export function originOf(request: object, door: RequestOrigin["door"]): RequestOrigin {
  const known = know(request);
  const requestId = known.hasChanged ? Bun.randomUUIDv7() : known.id;
  known.hasChanged = true;
  return { ...known.trace, door, requestId };
}

/** Notes the step of a trace that answers a request, to which the changes that it asks for belong. */
export function noteTrace(request: object, traceparent: string): void {
  know(request).trace = { traceparent };
}

export const traceOf = (request: object): Trace => know(request).trace;

/** Says of a request that from now on it is only kept waiting, so it takes nobody's place. */
export const keptWaiting = (request: object): void => know(request).entry?.leave();

/** The network of a request's client, which tells strangers apart. */
export const clientOf = (request: object): string => know(request).entry?.network() ?? "";

/** An id that a client or a proxy gives is believed in its form alone, and only ever a field of the log. */
const harmless = /^[\w.:=+/-]{1,128}$/;

/** The ids by which the logs name a request: its own, and the one that it was sent with. */
export function loggedIds(request: Pick<Request, "headers">) {
  const sent = request.headers.get("x-request-id") ?? "";
  return { request_id: requestIdOf(request), ...(harmless.test(sent) && { client_request_id: sent }) };
}

/** The path of a request as a log may have it: what follows `/calendar/` is the secret of a feed. */
export const loggedPath = (url: string): string =>
  new URL(url).pathname.replace(/^\/+calendar\/.*/i, "/calendar/…");

export function logAnswer(log: Log, request: Request, { status }: Response, tookMs: number): void {
  const { method, url } = request;
  const path = loggedPath(url);
  log.debug({ ...loggedIds(request), method, path, status, ms: Math.round(tookMs) }, "answered");
}
