import { afterAll, expect, test } from "bun:test";
import { BlockList, connect } from "node:net";
import { text } from "node:stream/consumers";
import { refuseUnread } from "../../../api/app.ts";
import { listen } from "../../../api/http/listen.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { freePort } from "../../harness.ts";

const port = freePort();
const baseUrl = `https://127.0.0.1:${port}`;
const held: ((response: Response) => void)[] = [];
/** A door whose answers wait, so that it is full. */
const door = listen(
  { host: "127.0.0.1", port, baseUrl, drainSeconds: 0, trustedProxies: new BlockList() },
  createLog("test", "silent"),
  {
    answer: () => new Promise((resolve) => held.push(resolve)),
    turnAway: refuseUnread,
    knownUser: () => undefined,
    exposition: { answer: async () => new Response() },
    ready: async () => ({ status: "ok", missing: [] }),
    endStreams() {},
  },
);
const letGo = () => held.splice(0).map((answer) => answer(new Response()));
afterAll(() => {
  letGo();
  return door.stop();
});

const json = "application/problem+json, application/json";

/** Sends a request by hand. @returns its answer's head and body */
async function send(path: string, lines: readonly string[], body = ""): Promise<[string, object]> {
  const socket = connect(port, "127.0.0.1");
  const headers = ["Origin: https://app.example", `Accept: ${json}`, "Connection: close", ...lines];
  socket.write(`POST ${path} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n${body}`);
  const [head = "", answer = "{}"] = (await text(socket)).split("\r\n\r\n");
  return [head.toLowerCase(), JSON.parse(answer)];
}

/** Keeps this process, which is also the door, busy until it sheds load. */
async function beFull(): Promise<void> {
  for (let turn = 0; turn < 12; turn++) {
    for (const until = performance.now() + 100; performance.now() < until; );
    await Bun.sleep(1);
  }
  for (let sent = 0; sent < 260; sent++) void send("/api/v1/todos", ["Host: localhost"]).catch(() => {});
  while (held.length < 250) await Bun.sleep(1);
}

function expectReadable([head, body]: readonly [string, object], status: number, code: string): void {
  expect(head).toStartWith(`http/1.1 ${status}`);
  for (const line of [
    "access-control-allow-origin: *",
    "access-control-expose-headers: *",
    "content-type: application/problem+json",
    "x-content-type-options: nosniff",
    "cache-control: no-store",
    "strict-transport-security: max-age=31536000",
  ])
    expect(head).toContain(line);
  expect(head).toMatch(/x-request-id: [0-9a-f-]{36}/);
  expect(body).toMatchObject({ type: "about:blank", status, code, detail: expect.any(String) });
}

test("a refusal of a request that has no route has problem details, and scripts of other sites read it", async () => {
  const nobody = await send("/api/v1/todos", ["Host: localhost:99999"]);
  expectReadable(nobody, 400, "malformed_request");
  const chunk = "a".repeat(66_000);
  const long = `${chunk.length.toString(16)}\r\n${chunk}\r\n0\r\n\r\n`;
  const tooLong = await send("/api/v1/todos", ["Host: localhost", "Transfer-Encoding: chunked"], long);
  expectReadable(tooLong, 413, "body_too_large");
});

test("a refusal for overload has them too, in the form of its door, and pages of other sites get neither", async () => {
  await beFull();
  for (const path of ["/api/v1/todos", "/api/v1/habits"]) {
    const overloaded = await send(path, ["Host: localhost"]);
    expectReadable(overloaded, 503, "overloaded");
    expect(overloaded).toMatchObject([expect.stringContaining("retry-after: 1"), { applied: "no" }]);
  }
  const [mcp, rpc] = await send("/mcp", ["Host: localhost"]);
  expect(mcp).toStartWith("http/1.1 503");
  expect(mcp).toContain("access-control-allow-origin: *");
  expect(rpc).toMatchObject({ jsonrpc: "2.0", error: expect.any(Object) });
  const [page, plain] = await send("/account/todos", ["Host: localhost"]);
  expect(page).toStartWith("http/1.1 503");
  expect(page).not.toContain("access-control-allow-origin");
  expect(plain).toMatchObject({ code: "overloaded", message: expect.any(String) });
  letGo();
});
