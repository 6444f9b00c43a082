import type { Socket } from "bun";

/** A load balancer as most are: keeps connections, follows readiness, and never sends a request twice. */
export type Balancer = Readonly<{
  /** Sends one raw request to some ready door. @returns the status; `lost` when the connection ended before it */
  send(request: string): Promise<string>;
  /** Resolves when it takes all doors for ready. */
  allReady(): Promise<void>;
  stop(): Promise<void>;
}>;

const lookEveryMs = 50;
const patienceMs = 1_000;

type Waiting = { text: string; answer: (status: string) => void };
type Connection = { socket: Socket<Waiting | undefined>; alive: boolean };

export function startBalancer(ports: readonly number[]): Balancer {
  const ready = new Set<number>(ports);
  const idle = new Map<number, Connection[]>(ports.map((port) => [port, []]));
  let turn = 0;
  let over = false;

  async function watch(port: number): Promise<void> {
    while (!over) {
      const answer = await fetch(`http://127.0.0.1:${port}/health/ready`, {
        signal: AbortSignal.timeout(patienceMs),
      }).catch(() => undefined);
      if (answer?.status === 200) ready.add(port);
      else {
        ready.delete(port);
        idle.set(port, []);
      }
      await Bun.sleep(lookEveryMs);
    }
  }

  const watching = Promise.all(ports.map(watch));
  return {
    async send(request) {
      const choice = [...ready];
      const port = choice[turn++ % choice.length];
      if (port === undefined) return "no door";
      const connection = takeIdle(idle.get(port)) ?? (await connect(port).catch(() => undefined));
      if (!connection) return "refused";
      const { status, keep } = await exchange(connection, request);
      if (keep && ready.has(port)) idle.get(port)?.push(connection);
      return status;
    },
    async allReady() {
      while (ready.size < ports.length) await Bun.sleep(lookEveryMs);
    },
    async stop() {
      over = true;
      await watching;
      for (const { socket } of [...idle.values()].flat()) socket.end();
    },
  };
}

function takeIdle(connections: Connection[] = []): Connection | undefined {
  while (connections.length > 0) {
    const connection = connections.pop();
    if (connection?.alive) return connection;
  }
  return undefined;
}

async function connect(port: number): Promise<Connection> {
  const end = (socket: Socket<Waiting | undefined>) => {
    connection.alive = false;
    socket.data?.answer("lost");
  };
  const connection: Connection = {
    alive: true,
    socket: await Bun.connect<Waiting | undefined>({
      hostname: "127.0.0.1",
      port,
      data: undefined,
      socket: {
        data(socket, chunk) {
          if (socket.data) socket.data.text += chunk.toString("latin1");
          const { text = "", answer } = socket.data ?? {};
          if (isWhole(text)) answer?.(text.slice(9, 12));
        },
        close: end,
        error: end,
      },
    }),
  };
  return connection;
}

async function exchange({ socket }: Connection, request: string): Promise<{ status: string; keep: boolean }> {
  const answered = Promise.withResolvers<string>();
  const waiting = { text: "", answer: answered.resolve };
  socket.data = waiting;
  socket.write(request);
  const status = await answered.promise;
  socket.data = undefined;
  return { status, keep: !/\r\nconnection: close/i.test(waiting.text) };
}

function isWhole(text: string): boolean {
  const head = text.indexOf("\r\n\r\n");
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(text)?.[1] ?? 0);
  return head !== -1 && text.length >= head + 4 + length;
}
