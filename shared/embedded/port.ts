import { createServer } from "node:net";

/** Where a server is going to listen, and the setting that says so. */
export type ListenAddress = { setting: string; port: number; hosts: readonly string[] };

// Below the range from which systems take the source ports of connections: there, a client that retries
// while our server restarts can be given the server's own port and hold it.
const lowestPort = 20_000;
const highestPort = 29_999;

/** How long the processes of a run that was just killed may take to let go of their ports. */
const graceMs = 2_000;

/** A port of 127.0.0.1 that nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowestPort + Math.floor(Math.random() * (highestPort - lowestPort + 1));
    if (await isFree(port, "127.0.0.1")) return port;
  }
}

/** @throws when somebody else listens there. */
export async function demandFree({ setting, port, hosts }: ListenAddress): Promise<void> {
  const deadline = performance.now() + graceMs;
  for (const host of hosts) {
    while (!(await isFree(port, host))) {
      if (performance.now() > deadline)
        throw new Error(
          `Port ${port} of ${host} is in use by another program. Set ${setting} to a free one.`,
        );
      await Bun.sleep(50);
    }
  }
}

function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    // A host this machine does not have (no IPv6, say) is for the role to complain about.
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code !== "EADDRINUSE"));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
