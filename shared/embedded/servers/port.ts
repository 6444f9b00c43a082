import { createServer } from "node:net";

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

/** @throws when another program listens there, or when no host is an address of this machine */
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
  // A machine may lack one of them, for example IPv6.
  const [error, ...others] = await Promise.all(hosts.map((host) => listenError(port, host)));
  if (error && others.every(Boolean))
    throw new Error(
      `Kept cannot listen at ${hosts[0]}:${port} (${error.message}): set HOST to an address of this machine, or ${setting} to another port.`,
    );
}

const isFree = async (port: number, host: string): Promise<boolean> =>
  (await listenError(port, host))?.code !== "EADDRINUSE";

/** @returns undefined when a server can listen there */
function listenError(port: number, host: string): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", resolve);
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
