import { connect, createServer, type Socket } from "node:net";
import { freePort } from "../../../shared/embedded/servers/port.ts";

/** A proxy before a server that can fail as networks do, while both ends stay untouched. */
export type Gate = Awaited<ReturnType<typeof openGate>>;

type Connection = { near: Socket; far: Socket; subscribes: boolean; silent: boolean };

/** Puts a gate before the server of `address`, on a port of its own that stays the same. */
export async function openGate(address: string) {
  let target = new URL(address);
  const connections = new Set<Connection>();
  let delayMs = 0;

  function end(connection: Connection): void {
    connections.delete(connection);
    connection.near.destroy();
    connection.far.destroy();
  }

  function join(connection: Connection, from: Socket, to: Socket): void {
    const later = createDelay(() => delayMs);
    from.on("data", (chunk) => later(() => !connection.silent && to.write(chunk)));
    from.on("error", () => {});
    from.on("close", () => later(() => !connection.silent && end(connection)));
  }

  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    const connection = { near, far, subscribes: false, silent: false };
    connections.add(connection);
    near.on("data", (chunk) => {
      connection.subscribes ||= /subscribe/i.test(chunk.toString("latin1"));
    });
    for (const socket of [near, far]) socket.setNoDelay(true);
    join(connection, near, far);
    join(connection, far, near);
  });
  const port = await freePort();
  const listen = () => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const cut = () => connections.forEach(end);
  await listen();
  const url = new URL(address);
  url.port = String(port);
  return {
    /** The address by which the server is reached through the gate. */
    url: url.href,
    /** Ends every connection, and accepts new ones. */
    cut,
    /** Ends every connection and refuses new ones. */
    shut(): void {
      server.close();
      cut();
    },
    open: () => void listen(),
    /**
     * Leaves every connection open, or every subscription, but carries nothing over it, not even its end, as when a load
     * balancer forgot it. New connections work.
     */
    silence(only?: "subscriptions"): void {
      for (const connection of connections)
        if (only === undefined || connection.subscribes) connection.silent = true;
    },
    /** Leads to another server, as a balancer does after a fail-over. */
    leadTo(other: string): void {
      target = new URL(other);
      cut();
    },
    /** Delays everything by this many milliseconds; 0 ends the delay. */
    delay(ms: number): void {
      delayMs = ms;
    },
  };
}

/** Runs functions after a delay, in the order in which they came. */
function createDelay(delayMs: () => number): (act: () => void) => void {
  let last = 0;
  return (act) => {
    const now = performance.now();
    last = Math.max(last, now + delayMs());
    if (last <= now) act();
    else setTimeout(act, last - now);
  };
}
