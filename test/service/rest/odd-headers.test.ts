import { afterAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { freePort, testEnvironment } from "../../harness.ts";
import { oddHeaders, oddHosts } from "../../support/odd/requests.ts";
import { fuzzRuns } from "../../support/odd-values.ts";
import { startIssuer } from "../../support/servers/issuer.ts";

const port = freePort();
const baseUrl = `http://127.0.0.1:${port}`;
const issuer = await startIssuer(baseUrl);
/** A process of its own, so that its whole stderr and stdout can be read. */
const door = Bun.spawn([process.execPath, join(import.meta.dir, "../../../api/main.ts")], {
  env: {
    ...process.env,
    ...(await testEnvironment()),
    PORT: String(port),
    BASE_URL: baseUrl,
    AUTH_URL: issuer.url,
    LOG_LEVEL: "warn",
  },
  stdio: ["ignore", "pipe", "pipe"],
});
const said = Promise.all([door.stdout.text(), door.stderr.text()]);
afterAll(async () => {
  door.kill();
  await issuer.stop();
});
while (!(await fetch(`${baseUrl}/health/live`).catch(() => undefined))?.ok) await Bun.sleep(50);

/** Sends raw headers, and returns the service's answer. Who waits for it does not end the connection. */
async function send(
  headers: readonly string[],
  path = "/api/v1/todos?secret=in-query",
  { version = "1.1", waits = false } = {},
): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  const lines = [`GET ${path} HTTP/${version}`, ...headers, "Connection: close"];
  const request = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  if (waits) socket.write(request);
  else socket.end(request);
  return text(socket).catch(() => "");
}

const statusIn = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);

test.each([
  ["HTTP/1.0 without a host", "1.0", []],
  ["a host of one letter", "1.1", ["Host: x"]],
  ["an empty host", "1.1", ["Host:"]],
])("%s is answered like any other", async (_what, version, headers) => {
  const authorization = `Authorization: Bearer ${await issuer.token()}`;
  const waiting = { version, waits: true };
  const read = await send([authorization, ...headers], "/api/v1/categories?page=2", waiting);
  expect(read).toMatch(/^HTTP\/1\.\d 200 .*"current_page":2/s);
  expect(await send(headers, "/nowhere", waiting)).toMatch(/^HTTP\/1\.\d 404 .*"code":"not_found"/s);
});

test.each([
  ["a port that is none", "Host: localhost:99999"],
  ["a port in letters", "Host: localhost:abc"],
  ["broken percent encoding", "Host: %zzabcd"],
  ["half an IPv6 address", "Host: [::1"],
  ["five numbers", "Host: 1.2.3.4.5"],
  ["blanks and a path", "Host: a b/c@%%"],
  ["a user", "Host: user@host.example"],
  ["two hosts", "Host: a.example\r\nHost: b.example"],
])("a Host header with %s is a 400 with our body, on every path", async (_, header) => {
  for (const path of ["/api/v1/todos?q=1", "/mcp", "/account", "/metrics", "/health/live", "/nowhere"]) {
    const answer = await send([header], path);
    expect(statusIn(answer)).toBe(400);
    expect(answer).toEndWith(
      '{"message":"The Host header does not name a host.","code":"malformed_request"}',
    );
  }
});

const paths = "/api/v1/todos?x=1 /mcp /account/sign-in?next=/x /metrics // /% /health/live".split(" ");
const numRuns = fuzzRuns(1_000);
const request = fc.record({
  host: oddHosts,
  headers: fc.array(oddHeaders, { maxLength: 4 }),
  path: fc.constantFrom(...paths),
});

test("no Host and no other header makes a 5xx", async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(request, async ({ host, headers, path }) => {
      const status = statusIn(await send([`Host: ${host}`, ...headers], path));
      answered += status === 0 ? 0 : 1;
      // The account pages have no credentials here, so they answer 503 because they are not set up.
      if (!path.startsWith("/account")) expect(status).toBeLessThan(500);
    }),
    { numRuns },
  );
  expect(answered).toBeGreaterThan(numRuns / 2);
});

test("all that was said meanwhile are JSON lines, without what the clients sent", async () => {
  door.kill();
  const [out, err] = await said;
  for (const line of `${out}${err}`.split("\n").filter(Boolean))
    expect(JSON.parse(line)).toHaveProperty("level");
  expect(`${out}${err}`).not.toContain("in-query");
});
