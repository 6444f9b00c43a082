import { afterAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { join } from "node:path";

const listening = Promise.withResolvers<number>();
const server = Bun.spawn([process.execPath, join(import.meta.dir, "fixtures/long-bodies.ts")], {
  stdio: ["ignore", "inherit", "inherit"],
  ipc: (port: number) => listening.resolve(port),
});
afterAll(() => server.kill());
const port = await listening.promise;

/** The pieces of an answer of this many letters, for a client that pauses after each. */
async function piecesOf(letters: number, pauseMs: number): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  const socket = connect(port, "127.0.0.1");
  socket.write(`GET /${letters} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  for await (const piece of socket) {
    pieces.push(piece);
    await Bun.sleep(pauseMs);
  }
  return pieces;
}

test("a long answer does not leave header by header", async () => {
  for (let turn = 0; turn < 20; turn++) {
    const [first] = await piecesOf(10_000, 0);
    expect(first?.toString()).toInclude("\r\n\r\n");
  }
});

test("a very long one reaches a slow reader whole", async () => {
  const all = Buffer.concat(await piecesOf(2_000_000, 2)).toString();
  expect(all.split("ü").length - 1).toBe(2_000_000);
});
