import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { createBrowser } from "../../support/identity/browser.ts";
import { startTestIdentity, type TestIdentity } from "../../support/identity/support.ts";

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startTestIdentity();
});
afterAll(() => identity.stop());

const beginnings = [
  "",
  "POST /token HTTP/1.1\r\nHost: x\r\n",
  "POST /token HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\na",
  "POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\na",
  "POST /token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\na",
];

/** Connections that begin a request and send at most one byte a second. */
async function openSlowly(count: number) {
  let closed = 0;
  for (let n = 0; n < count; n++) {
    const beginning = beginnings[n % beginnings.length] ?? "";
    const socket = connect(identity.config.identityPort, "127.0.0.1", () => socket.write(beginning));
    const drip = setInterval(() => beginning && socket.write("a"), 1_000);
    socket.on("error", () => {});
    socket.on("close", () => {
      closed++;
      clearInterval(drip);
    });
    if (n % 50 === 0) await Bun.sleep(1);
  }
  return { closed: () => closed };
}

test("many slow senders keep nobody from signing in or being checked, and are cut off", async () => {
  const slow = await openSlowly(2_000);
  for (let n = 0; n < 5; n++) {
    const browser = createBrowser(identity.config.authUrl);
    const { email, password } = identity.owner;
    const page = await browser.submit(await browser.open("/sign-in?next=/profile"), "/sign-in", {
      email,
      password,
    });
    expect(page.status).toBe(200);
    expect(await identity.introspect(identity.owner.token)).toMatchObject({ active: true });
  }
  const deadline = Date.now() + 20_000;
  while (slow.closed() < 2_000 && Date.now() < deadline) await Bun.sleep(100);
  expect(slow.closed()).toBe(2_000);
});

test("a connection that is kept open serves one request after the other", async () => {
  const socket = connect(identity.config.identityPort, "127.0.0.1");
  let answers = 0;
  socket.on("data", (data) => {
    answers += String(data).split("HTTP/1.1 ").length - 1;
  });
  const { port } = new URL(identity.config.authUrl);
  const head = (line: string) => `${line} HTTP/1.1\r\nHost: localhost:${port}\r\n`;
  for (let n = 1; n <= 4; n++) {
    if (n > 1) await Bun.sleep(3_500);
    if (n % 2) socket.write(`${head("GET /health/live")}\r\n`);
    else socket.write(`${head("POST /nowhere")}Content-Length: 3\r\n\r\nabc`);
    while (answers < n) await Bun.sleep(5);
  }
  expect(answers).toBe(4);
  socket.destroy();
}, 30_000);
