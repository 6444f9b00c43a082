import { afterEach, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { useStack } from "../../harness.ts";

const stack = await useStack();
const { baseUrl, port } = stack.config;

const open = new Set<Socket>();
afterEach(() => {
  for (const socket of open) socket.destroy();
});

const token = await stack.issuer.token();
const host = `Host: ${new URL(baseUrl).host}\r\n`;
const long = "Content-Length: 60000\r\n\r\n";
const beginning = `POST /api/v1/todos HTTP/1.1\r\n${host}Authorization: Bearer ${token}\r\n${long}{`;

/** A request that sends one more piece each second. */
type Slow = Readonly<{ closed: Promise<void>; answer(): string; isOpen(): boolean }>;

function sendSlowly(head: string, piece = "a"): Slow {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  let answer = "";
  const socket = connect(port, "127.0.0.1", () => socket.write(head));
  const drip = setInterval(() => socket.write(piece), 1_000);
  open.add(socket);
  socket.on("data", (data) => {
    answer += data;
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    clearInterval(drip);
    open.delete(socket);
    resolve();
  });
  return { closed, answer: () => answer, isOpen: () => !socket.destroyed };
}

/** Keeps this process, which is also the front door, busy until it sheds load. */
async function beLate(): Promise<void> {
  for (let turn = 0; turn < 12; turn++) {
    for (const until = performance.now() + 100; performance.now() < until; );
    await Bun.sleep(1);
  }
}

const readStatuses = async (count: number): Promise<number[]> => {
  const answers = await Promise.all(Array.from({ length: count }, () => stack.rest("GET", "/me")));
  return [...new Set(answers.map(({ status }) => status))];
};

test("six hundred slow senders refuse nobody, however late the process was", async () => {
  for (let n = 0; n < 600; n++) {
    sendSlowly(beginning);
    if (n % 50 === 0) await Bun.sleep(5);
  }
  await Bun.sleep(200);
  await beLate();
  expect(await readStatuses(5)).toEqual([200]);
  expect((await fetch(`${baseUrl}/health/ready`)).status).toBe(200);
});

test("of the slow senders of one network the longest waiting goes first", async () => {
  const first = sendSlowly(beginning);
  await Bun.sleep(50);
  const others = Array.from({ length: 240 }, () => sendSlowly(beginning));
  await first.closed;
  expect(first.answer()).toStartWith("HTTP/1.1 503");
  expect(others.filter((other) => other.isOpen())).toHaveLength(200);
}, 9_000);

test("a request has ten seconds to arrive, headers and body", async () => {
  const slow = [
    sendSlowly(beginning),
    sendSlowly(`POST /mcp HTTP/1.1\r\n${host}`, "X-A: b\r\n"),
    sendSlowly(`POST /mcp HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n`, "1\r\na\r\n"),
    sendSlowly(`GET /docs HTTP/1.1\r\n${host}\r\nPOST /mcp HTTP/1.1\r\n${host}${long}`),
  ];
  const began = performance.now();
  await Promise.all(slow.map(({ closed }) => closed));
  expect(performance.now() - began).toBeLessThan(16_000);
});
