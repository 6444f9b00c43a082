import { connectRaw, type RawAnswer, type RawConnection, requestText } from "../support/raw.ts";

/** What a request through the balancer came to; `no door`: nobody accepted it. */
export type Balanced = RawAnswer | "no door";

export type Balancer = Readonly<{
  /** A client of it; `kept` ones send many requests over one connection, the others one over each. */
  client(kept: boolean): (request: string) => Promise<Balanced>;
  stop(): void;
}>;

type Door = { port: number; ready: boolean };

const checkEveryMs = 100;

/**
 * Sends each request once, to a door whose /health/ready was good when last asked. A door that does not accept
 * the connection has seen nothing of the request, so the next one gets it; what was sent is never sent again.
 */
export function startBalancer(ports: readonly number[]): Balancer {
  const doors: Door[] = ports.map((port) => ({ port, ready: true }));
  let over = false;
  for (const door of doors) void watch(door, () => over);
  let turn = 0;

  async function connect(): Promise<{ door: Door; connection: RawConnection } | undefined> {
    turn += 1;
    const rotated = doors.map((_, n) => doors[(n + turn) % doors.length] as Door);
    for (const door of rotated.toSorted((one, other) => Number(other.ready) - Number(one.ready))) {
      const connection = await connectRaw(door.port).catch(() => undefined);
      if (connection) return { door, connection };
      door.ready = false;
    }
    return undefined;
  }

  return {
    client(kept) {
      let current: Awaited<ReturnType<typeof connect>>;
      return async (request) => {
        const usable = kept && current?.door.ready && current.connection.isOpen();
        if (!usable) {
          current?.connection.close();
          current = await connect();
        }
        return (await current?.connection.exchange(request)) ?? "no door";
      };
    },
    stop() {
      over = true;
    },
  };
}

async function watch(door: Door, isOver: () => boolean): Promise<void> {
  const request = requestText({
    method: "GET",
    path: "/health/ready",
    token: "none",
    headers: ["connection: close"],
  });
  while (!isOver()) {
    const connection = await connectRaw(door.port).catch(() => undefined);
    door.ready = (await connection?.exchange(request)) === 200;
    connection?.close();
    await Bun.sleep(checkEveryMs);
  }
}
