import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { createWaiting, type Waiting } from "../http/intake/waiting.ts";

/** The time in which a request must arrive, from its first byte to its last. */
const arrivalMs = 10_000;

/** Far more than honest clients need at once, and far fewer than the files that a process may open. */
const maxWaiting = 1_000;

/**
 * Keeps slow senders from taking the server from others. A body that does not arrive in time is cut off, because
 * node:http on Bun limits the time of headers only. When too many connections wait for a whole request, the longest
 * waiting is closed: honest requests arrive at once, so they always find room.
 */
export function boundConnections(server: Server): Server {
  const waiting = createWaiting<Socket>({
    most: maxWaiting,
    mostOfOne: maxWaiting,
    // Which network a connection of a proxy is for is not known before its request has come.
    whose: () => "",
    putOut: (socket) => socket.destroy(),
  });
  server.headersTimeout = arrivalMs;
  server.on("connection", (socket) => {
    waiting.add(socket);
    socket.once("close", () => waiting.remove(socket));
  });
  server.prependListener("request", (request, response) => {
    // Kept here, because a request that was given up while its body arrived no longer has its socket.
    const { socket } = request;
    boundBody(request, waiting);
    response.once("finish", () => {
      // The rest of a body that nobody read has to arrive in time as well.
      request.resume();
      if (!socket.destroyed) waiting.add(socket);
    });
  });
  return server;
}

/** Counts the request's connection as waiting until its body has arrived, and closes it when that takes too long. */
function boundBody(request: IncomingMessage, waiting: Waiting<Socket>): void {
  const { socket, headers } = request;
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  if (!hasBody) {
    waiting.remove(socket);
    return;
  }
  waiting.add(socket);
  const cut = setTimeout(() => socket.destroy(), arrivalMs);
  request.once("close", () => clearTimeout(cut));
  request.once("end", () => {
    clearTimeout(cut);
    waiting.remove(socket);
  });
}
