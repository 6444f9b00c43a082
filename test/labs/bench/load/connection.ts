import type { Socket } from "bun";

/** A connection that sends raw HTTP requests, each after the answer to the previous one. */
export type Sequence = readonly string[];

type Options = Readonly<{
  port: number;
  /** @returns the next request, or undefined to end the connection */
  next(): Sequence | undefined;
  onAnswer(status: string, milliseconds: number): void;
}>;

const head = /^HTTP\/1\.1 (\d{3})[\s\S]*?\r\n\r\n/;
const length = /\r\ncontent-length: *(\d+)/i;
const isChunked = /\r\ntransfer-encoding: *chunked/i;
const lastChunk = "0\r\n\r\n";

const unread = () => ({ head: "", status: "", isChunked: false, received: 0, size: 0 });

/**
 * Keeps one connection busy with one request at a time. It uses a raw socket, because an HTTP library would cost as
 * much as the measured server. It reads answers with a content-length, or JSON in chunks, as Kept sends them.
 */
export function keepBusy({ port, next, onAnswer }: Options): Promise<void> {
  const closed = Promise.withResolvers<void>();
  let steps: string[] = [];
  let sentAt = 0;
  let answer = unread();

  function send(socket: Socket): void {
    if (steps.length === 0) steps = [...(next() ?? [])];
    const request = steps.shift();
    if (request === undefined) return void socket.end();
    answer = unread();
    sentAt = performance.now();
    socket.write(request);
  }

  function receive(socket: Socket, chunk: Buffer): void {
    answer.received += chunk.byteLength;
    if (!answer.status) {
      answer.head += chunk.toString("latin1");
      const [whole, status] = head.exec(answer.head) ?? [];
      if (whole === undefined || status === undefined) return;
      answer.status = status;
      answer.isChunked = isChunked.test(whole);
      answer.size = whole.length + Number(length.exec(whole)?.[1] ?? 0);
    }
    if (answer.isChunked ? !chunk.toString("latin1").endsWith(lastChunk) : answer.received < answer.size)
      return;
    onAnswer(answer.status, performance.now() - sentAt);
    send(socket);
  }

  const socket = {
    open: send,
    data: receive,
    close: () => closed.resolve(),
    error: (_: Socket, error: Error) => closed.reject(error),
  };
  Bun.connect({ hostname: "127.0.0.1", port, socket }).catch(closed.reject);
  return closed.promise;
}
