import fc from "fast-check";
import { wordsIn } from "../text-table.ts";

/** Characters of one byte each on the wire, on one line. */
const latin = fc.string({ unit: "binary-ascii", maxLength: 60 }).map((text) => text.replace(/[\r\n]/g, " "));

/** Mostly usual parts, so that most requests are odd in one thing only and reach the handlers. */
const mostly = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: odd });

const methods = fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS");
const oddMethods = fc.constantFrom("TRACE", "CONNECT", "get", "PROPFIND", "G\0T", "");

const hostParts = fc.constantFrom(
  ...["localhost", "127.0.0.1", "[::1]", "[", "]", ":", ":0", ":99999", ":-1", "%zz", "%00", "xn--"],
  ...[".", "..", "@", "/", "?", "#", "a", "\xe9", "\\", ";", "<x>", "\t", "|", "^", "0x7f.1", "256.1.1.1"],
);

/** Most are no hosts. */
export const oddHosts = fc.oneof(
  fc.constantFrom("localhost:99999", "localhost:-1", "localhost:", "%zzabcd", "%", "[::1", "[]", "a b", ".."),
  fc.constantFrom("", ":", "@", "a@b:80", "a:b@c", "\xe9\xe8", "127.1", "0x7f.1", "999.999.999.999", "a,b"),
  fc.constantFrom("#", "?", "/", "\\", "*", "x".repeat(5_000)),
  fc.array(hostParts, { maxLength: 5 }).map((parts) => parts.join("")),
  latin,
);

/** Whole lines, of which some are no headers. */
export const oddHeaders = fc.oneof(
  fc.constantFrom("Content-Length: -1", "Content-Length: 5, 5", "Content-Length: 99999999999999999999"),
  fc.constantFrom("Transfer-Encoding: chunked", "Transfer-Encoding: x", "Expect: 100-continue", "Expect: x"),
  fc.constantFrom("Upgrade: websocket", "Connection: upgrade", "Upgrade: h2c", "Range: bytes=9-1"),
  fc.constantFrom("Content-Type: ", "Content-Type: text/plain", "Content-Type: application/json; charset=x"),
  fc.constantFrom("Content-Encoding: gzip", "Accept: ", "Accept: */*;q=x", "If-Modified-Since: x"),
  fc.constantFrom("Authorization: Bearer", "Authorization: Basic Og==", "Authorization: Bearer a.b.c"),
  fc.constantFrom("Authorization: Bearer \xff", "Cookie: kept_account=x", "Cookie: ;;=;", "Origin: null"),
  fc.constantFrom("Origin: x", "Mcp-Protocol-Version: 1", "Mcp-Session-Id: x", "Last-Event-Id: x"),
  fc.constantFrom("X-Forwarded-For: x", "X-Forwarded-Host: %zz", "X-Forwarded-Proto: x", "Forwarded: x"),
  fc.constantFrom("If-Match: *", "If-Match: x", 'If-Match: "x', "If-None-Match: *", 'If-None-Match: W/"x",,'),
  fc.constantFrom("No colon", ": no name", " folded", `X: ${"x".repeat(20_000)}`),
  fc
    .tuple(
      fc.constantFrom(...wordsIn("Idempotency-Key If-Match If-None-Match Accept Content-Type Host X-Odd")),
      latin,
    )
    .map(([name, text]) => `${name}: ${text}`),
);

/** The pages are left out, because they need an identity provider to sign in at. */
const oddTargets = fc.oneof(
  fc.constantFrom("*", "//", "/%", "/%zz", "/%00", "/api/v1", "/api/v1/", "/mcp/", "/mcp?x=%zz"),
  fc.constantFrom(
    "/api/v1/todos/%00",
    "/api/v1/todos//",
    "/api/v1/todos?page=%zz",
    "/api/v1/todos?due=today&x",
  ),
  fc.constantFrom("http://localhost/api/v1/todos", "http://%zz/api/v1/todos", "http:///mcp", "//evil/mcp"),
  fc.constantFrom("/metrics", "/openapi.json", "/health/live", "/health/ready", `/${"a".repeat(9_000)}`),
  latin.map((text) => `/x${text}`),
);

/** JSON of printable characters, and text that is none. */
const bodies = fc.oneof(
  fc.dictionary(fc.constantFrom("title", "name", "due_date"), fc.string()).map(ascii),
  latin,
);

function ascii(body: unknown): string {
  return JSON.stringify(body).replace(/[^ -~]/g, "?");
}

/** Requests (latin1) that no library would send, mostly to these paths. */
export const oddRequests = (token: string, paths: readonly string[]): fc.Arbitrary<string> =>
  fc
    .record({
      method: mostly(methods, oddMethods),
      target: mostly(fc.constantFrom(...paths), oddTargets),
      version: mostly(fc.constant("HTTP/1.1"), fc.constantFrom("HTTP/1.0", "HTTP/0.9", "http/1.1", "")),
      hosts: fc.oneof(fc.constant<string[]>(["localhost"]), fc.array<string>(oddHosts, { maxLength: 2 })),
      odd: fc.array(oddHeaders, { maxLength: 2 }),
      signed: mostly(fc.constant(true), fc.constant(false)),
      text: bodies,
    })
    .map(({ method, target, version, hosts, odd, signed, text }) => {
      const head = [
        `${method} ${target} ${version}`,
        ...hosts.map((host) => `Host: ${host}`),
        ...(signed ? [`Authorization: Bearer ${token}`] : []),
        ...odd,
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        `Content-Length: ${text.length}`,
        "Connection: close",
      ];
      return `${head.join("\r\n")}\r\n\r\n${text}`;
    });
