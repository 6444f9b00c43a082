import type { IncomingMessage, Server } from "node:http";

/** Milliseconds in which a request must arrive, from its first byte to its last. */
const arrivalMs = 10_000;

/** Cuts off slow senders. Bodies are timed here, because node:http on Bun limits the time of headers only. */
export function boundConnections(server: Server): Server {
  server.headersTimeout = arrivalMs;
  server.prependListener("request", (request, response) => {
    if (hasBody(request)) boundBody(request);
    // The unread rest of a body must arrive in time as well.
    response.once("finish", () => request.resume());
  });
  return server;
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

function boundBody(request: IncomingMessage): void {
  // The socket is read here, because an aborted request no longer has it.
  const { socket } = request;
  const cut = setTimeout(() => socket.destroy(), arrivalMs);
  for (const event of ["close", "end"]) request.once(event, () => clearTimeout(cut));
}
