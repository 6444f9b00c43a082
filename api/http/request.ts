import { type BlockList, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";
import type { Door } from "../../shared/domain/vocabulary.ts";
import type { Log } from "../../shared/process/observe/log.ts";
import type { Requester } from "../mailbox/actor.ts";
import type { Sender } from "../mailbox/dispatch.ts";

/** A person with one IPv6 address has its whole /64 (RFC 6177 §2), so all addresses of a /64 count as one. */
export function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address) || address.includes(".")) return address;
  const { parts } = ipaddr.IPv6.parse(address);
  return parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":");
}

/** True if this peer's X-Forwarded-For counts. Others could claim a new network for each request. */
function isTrustedProxy(proxies: BlockList, peer: string): boolean {
  const address = plainAddress(peer);
  return proxies.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

/** The network of a client; the last proxy has added its address to X-Forwarded-For. */
export function clientNetwork(proxies: BlockList, headers: Headers, peer: string): string {
  const forwarded = headers.get("x-forwarded-for");
  const isForwarded = forwarded !== null && isTrustedProxy(proxies, peer);
  return networkOf(isForwarded ? (forwarded.split(",").at(-1)?.trim() ?? "") : plainAddress(peer));
}

/** A socket for both families shows IPv4 addresses in an IPv6 form. */
const plainAddress = (peer: string): string => peer.replace(/^::ffff:/, "");

/**
 * Gives a request without a Host header (HTTP/1.0) a full address: URL refuses a bare path, and Elysia expects a
 * host of at least four characters before it. Kept never uses the host of this URL.
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
  leave(): void;
  network: string;
}>;

/** The step of a trace that answers the request; empty without a trace. */
type Trace = Pick<Sender, "traceparent">;
type KnownRequest = {
  readonly id: string;
  hasChanged: boolean;
  trace: Trace;
  entry: Entry | undefined;
  idleMs: number;
};

const requests = new WeakMap<object, KnownRequest>();

/** The facts are kept beside the request, because every part that answers has the request. */
export function noteRequest(request: object, entry?: Entry): KnownRequest {
  const known = { id: Bun.randomUUIDv7(), hasChanged: false, trace: {}, entry, idleMs: 0 };
  requests.set(request, known);
  return known;
}

const know = (request: object): KnownRequest => requests.get(request) ?? noteRequest(request);

/**
 * The id of a request: its answer (`X-Request-Id`), its lines in the logs and its row in the action log have it. It
 * is a key of that row, so Kept always makes it.
 */
export const requestIdOf = (request: object): string => know(request).id;

/**
 * The sender of a change, with the id of its row in the log. The first change of a request has the request's id; a
 * page may make several changes by one request, and the others have their own ids.
 */
export function senderOf(request: object, door: Door, actor: Requester): Sender {
  const { tokenId = "", clientName = null } = actor;
  const known = know(request);
  const requestId = known.hasChanged ? Bun.randomUUIDv7() : known.id;
  known.hasChanged = true;
  return { ...known.trace, door, requestId, tokenId, clientName };
}

/** Stores the step of a trace that answers a request; its changes belong to that step. */
export function noteTrace(request: object, traceparent: string): void {
  know(request).trace = { traceparent };
}

/** Waits without load; the time does not count as the service's own. */
export async function idle(request: object, until: Promise<unknown>): Promise<void> {
  const began = performance.now();
  keptWaiting(request);
  await until;
  know(request).idleMs += performance.now() - began;
}

export const idleMsOf = (request: object): number => know(request).idleMs;

/** Marks a request as only waiting from now on, so it no longer counts as load. */
export const keptWaiting = (request: object): void => know(request).entry?.leave();

/** The network of a request's client, by which strangers are told apart. */
export const clientOf = (request: object): string => know(request).entry?.network ?? "";

/** Checks only the form of an id from a client or a proxy; it is just a field of the log. */
const harmless = /^[\w.:=+/-]{1,128}$/;

/** The ids that the logs have of a request: its own, and the client's. */
export function loggedIds(request: Pick<Request, "headers">) {
  const sent = request.headers.get("x-request-id") ?? "";
  return { request_id: requestIdOf(request), ...(harmless.test(sent) && { client_request_id: sent }) };
}

/** The path of a request for a log: the part after `/calendar/` or `/remind/` is a secret. */
export const loggedPath = (url: string): string =>
  (URL.parse(url)?.pathname ?? "").replace(/^\/+(calendar|remind)\/.*/i, "/$1/…");

export function logAnswer(log: Log, request: Request, { status }: Response, tookMs: number): void {
  const { method, url } = request;
  const path = loggedPath(url);
  log.debug({ ...loggedIds(request), method, path, status, ms: Math.round(tookMs) }, "answered");
}

/**
 * The first match wins. Edge and Opera also claim to be Chrome, and Chrome claims to be Safari, so these come later.
 */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(Chrome|CriOS|HeadlessChrome)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/** Names the browser of a User-Agent header, for example `Firefox on Linux`. Browsers can lie about it. */
export function browserName(userAgent: string): string {
  const nameIn = (known: typeof browsers) => known.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [nameIn(browsers), nameIn(systems)];
  if (browser === undefined) return system === undefined ? "Unknown browser" : `A browser on ${system}`;
  return system === undefined ? browser : `${browser} on ${system}`;
}
