import { createServer } from "node:net";

/** A listening address, and the name of its setting. */
export type ListenAddress = Readonly<{ setting: string; port: number; hosts: readonly string[] }>;

// Ports below the range of the source ports of connections. Inside that range, a client that retries during a restart
// may get the server's own port and keep it.
const lowestPort = 20_000;
const highestPort = 29_999;

/** Processes of a run that was just killed may need this long to release their ports. */
const graceMs = 2_000;

/** A port of 127.0.0.1 that nobody listens on now. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowestPort + Math.floor(Math.random() * (highestPort - lowestPort + 1));
    if (await isFree(port, "127.0.0.1")) return port;
  }
}

/**
 * Starts a server on a free port, and on another one if somebody takes that port first.
 * @throws what `start` throws when the port is not the cause.
 */
export async function onFreePort<Server>(start: (port: number) => Promise<Server>): Promise<Server> {
  const port = await freePort();
  try {
    return await start(port);
  } catch (error) {
    if (await isFree(port, "127.0.0.1")) throw error;
    return onFreePort(start);
  }
}

/** @throws when another program listens there. */
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
    // A host that this machine lacks, for example an IPv6 address, is reported by the role that listens there.
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code !== "EADDRINUSE"));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
