import { expect, test } from "bun:test";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { useStack } from "../../harness.ts";

const { config, issuer, rest } = await useStack();
const token = await issuer.token();

/** Sends a raw request, and returns the service's answer. */
async function send(startLine: string, ...headers: string[]): Promise<string> {
  const socket = connect(config.port, "127.0.0.1");
  socket.write(`${[startLine, `Authorization: Bearer ${token}`, ...headers].join("\r\n")}\r\n\r\n`);
  return text(socket);
}

test.each([
  ["HTTP/1.0 without a host", "HTTP/1.0", []],
  ["a host of one letter", "HTTP/1.1", ["Host: x", "Connection: close"]],
  ["an empty host", "HTTP/1.1", ["Host:", "Connection: close"]],
])("%s is answered like any other", async (_what, version, headers) => {
  expect(await send(`GET /api/v1/categories?page=2 ${version}`, ...headers)).toMatch(
    /^HTTP\/1\.\d 200 .*"current_page":2/s,
  );
  expect(await send(`GET /nowhere ${version}`, ...headers)).toMatch(/^HTTP\/1\.\d 404 .*"code":"not_found"/s);
});

test("only /metrics is the address of the metrics", async () => {
  const filtered = await rest("GET", "/todos?context=/metrics");
  expect(filtered.body).toMatchObject({ data: [], meta: { total: 0 } });
  const answers = ["/metrics?x", "/api/v1/metrics"].map((path) => fetch(`${config.baseUrl}${path}`));
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 404]);
});
