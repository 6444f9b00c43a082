import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";

/** The time in which a request must arrive, from its first byte to its last. */
const arrivalMs = 10_000;

/** Far more than honest clients need at once, and far fewer than the files that a process may open. */
const maxWaiting = 1_000;

/**
 * Keeps slow senders from taking the server from others. A body that has not arrived within its time is cut off:
 * node:http on Bun does so for headers only. And of the connections on which no whole request has come, the one that
 * waits longest makes room for a new one, so that a flood of them keeps nobody out: an honest request comes at once.
 */
export function boundConnections(server: Server): Server {
  const waiting = new Set<Socket>();
  server.headersTimeout = arrivalMs;

  function wait(socket: Socket): void {
    waiting.delete(socket);
    waiting.add(socket);
    if (waiting.size <= maxWaiting) return;
    const [longest] = waiting;
    if (!longest) return;
    waiting.delete(longest);
    longest.destroy();
  }

  /** Counts the request's connection as waiting while its body is on the way, and cuts it off when it takes too long. */
  function receive(request: IncomingMessage): void {
    const { socket, headers } = request;
    const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
    if (!hasBody) return void waiting.delete(socket);
    wait(socket);
    const cut = setTimeout(() => socket.destroy(), arrivalMs);
    request.once("close", () => clearTimeout(cut));
    request.once("end", () => {
      clearTimeout(cut);
      waiting.delete(socket);
    });
  }

  server.on("connection", (socket) => {
    wait(socket);
    socket.once("close", () => waiting.delete(socket));
  });
  server.prependListener("request", (request, response) => {
    // Kept here, because a request that was given up while its body arrived no longer has its socket.
    const { socket } = request;
    receive(request);
    response.once("finish", () => {
      // The rest of a body that nobody read has to arrive in time as well.
      request.resume();
      if (!socket.destroyed) wait(socket);
    });
  });
  return server;
}
