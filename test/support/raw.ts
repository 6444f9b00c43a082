import type { Socket } from "bun";
import { rpc } from "./mcp.ts";

/** An answer's status, or `cut` when the connection ended without one. */
export type RawAnswer = number | "cut";

export type RawConnection = Awaited<ReturnType<typeof connectRaw>>;

/**
 * One HTTP connection by hand, because a library would hide a server's faults by retrying.
 * @throws when nobody accepts connections there
 */
export async function connectRaw(port: number) {
  let open = true;
  let received = "";
  let pending: ((answer: RawAnswer) => void) | undefined;
  function settle(answer: RawAnswer): void {
    const waiting = pending;
    pending = undefined;
    received = "";
    waiting?.(answer);
  }
  function ended(): void {
    open = false;
    settle("cut");
  }
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data(_socket: Socket, chunk: Buffer) {
        received += chunk.toString("latin1");
        const answer = wholeAnswer(received);
        if (!answer) return;
        if (answer.last) open = false;
        settle(answer.status);
      },
      end: ended,
      close: ended,
      error: ended,
    },
  });
  return {
    /** Sends a request, one at a time. Understands answers with a content-length, in chunks, or without a body. */
    exchange(request: string | Uint8Array): Promise<RawAnswer> {
      return new Promise((resolve) => {
        if (!open) return resolve("cut");
        pending = resolve;
        socket.write(request);
      });
    },
    /** False once the server ended the connection or announced its end. */
    isOpen: () => open,
    close(): void {
      open = false;
      socket.end();
    },
  };
}

const lastChunk = "0\r\n\r\n";
const head = /^HTTP\/1\.1 (\d{3})[\s\S]*?\r\n\r\n/;

function wholeAnswer(received: string): { status: number; last: boolean } | undefined {
  const [whole, status] = head.exec(received) ?? [];
  if (whole === undefined) return undefined;
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(whole)?.[1] ?? 0);
  const isChunked = /\r\ntransfer-encoding: *chunked/i.test(whole);
  const isWhole = isChunked ? received.endsWith(lastChunk) : received.length >= whole.length + length;
  if (!isWhole) return undefined;
  return { status: Number(status), last: /\r\nconnection: *close/i.test(whole) };
}

type RawRequest = Readonly<{
  method: string;
  path: string;
  token?: string;
  body?: object;
  headers?: readonly string[];
}>;

/** A request's text. */
export function requestText({ method, path, token, body, headers = [] }: RawRequest): string {
  const text = body ? JSON.stringify(body) : "";
  const types = ["content-type: application/json", "accept: application/json, text/event-stream"];
  const lines = [
    ...[`${method} ${path} HTTP/1.1`, "host: localhost"],
    ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
    ...(body ? [...types, `content-length: ${Buffer.byteLength(text)}`] : []),
  ];
  return `${[...lines, ...headers].join("\r\n")}\r\n\r\n${text}`;
}

/** A tool call as it goes to /mcp. */
export const toolCallText = (token: string, name: string, args: object): string =>
  requestText({ method: "POST", path: "/mcp", token, body: rpc("tools/call", { name, arguments: args }) });
