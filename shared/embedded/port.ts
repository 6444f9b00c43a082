import { createServer } from "node:net";

// Below the range from which systems take the source ports of connections: there, a client that retries
// while our server restarts can be given the server's own port and hold it.
const LOWEST = 20_000;
const HIGHEST = 29_999;

/** A port of 127.0.0.1 that nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST + 1));
    if (await isFree(port, "127.0.0.1")) return port;
  }
}

/** Whether a server could listen on this address now. */
export function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code === "EADDRNOTAVAIL"));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
