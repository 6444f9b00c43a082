import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { createWaiting, type Waiting } from "../http/intake/waiting.ts";

/** Milliseconds in which a request must arrive, from its first byte to its last. */
const arrivalMs = 10_000;

/** This is far more than honest clients need at once, and far below a process's limit of open files. */
const maxWaiting = 1_000;

/**
 * Keeps slow senders from blocking others. Bodies that arrive too late are cut off, because node:http on Bun limits the
 * time of headers only. If too many connections wait for a whole request, the longest waiting is closed.
 */
export function boundConnections(server: Server): Server {
  const waiting = createWaiting<Socket>({
    most: maxWaiting,
    mostOfOne: maxWaiting,
    // A proxy's connection has no known network before its request has come.
    whose: () => "",
    putOut: (socket) => socket.destroy(),
  });
  server.headersTimeout = arrivalMs;
  server.on("connection", (socket) => {
    waiting.add(socket);
    socket.once("close", () => waiting.remove(socket));
  });
  server.prependListener("request", (request, response) => {
    // The socket is read here, because an aborted request no longer has it.
    const { socket } = request;
    boundBody(request, waiting);
    response.once("finish", () => {
      // The unread rest of a body must arrive in time as well.
      request.resume();
      if (!socket.destroyed) waiting.add(socket);
    });
  });
  return server;
}

/** Counts the request's connection as waiting until its body has arrived; closes it after the time limit. */
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
