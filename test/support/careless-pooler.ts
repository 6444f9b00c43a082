import type { Socket } from "bun";

type Ends = { other: Socket<Ends> | undefined; started: boolean };

/** A way to PostgreSQL that drops the startup parameter `options`, as PgBouncer does when told to ignore it. */
export function openCareless(address: string): { url: string; close(): void } {
  const target = new URL(address);
  const forward = {
    data: (socket: Socket<Ends>, chunk: Buffer) => void socket.data.other?.write(chunk),
    close: (socket: Socket<Ends>) => void socket.data.other?.end(),
  };
  const listener = Bun.listen<Ends>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      ...forward,
      open(socket) {
        socket.data = { other: undefined, started: false };
      },
      async data(socket, chunk) {
        if (socket.data.started) return forward.data(socket, chunk);
        socket.data.started = true;
        const message = withoutOptions(Buffer.from(chunk));
        const { hostname, port } = target;
        socket.data.other = await Bun.connect<Ends>({
          hostname,
          port: Number(port),
          socket: forward,
          data: { other: socket, started: true },
        });
        socket.data.other.write(message);
      },
    },
  });
  const url = new URL(address);
  url.port = String(listener.port);
  return { url: url.href, close: () => listener.stop(true) };
}

/** The startup message: its length, the protocol, then names and values, each ended by NUL. */
function withoutOptions(startup: Buffer): Buffer {
  const words = startup.subarray(8).toString("latin1").split("\0");
  const at = words.indexOf("options");
  if (at >= 0) words.splice(at, 2);
  const parameters = Buffer.from(words.join("\0"), "latin1");
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + parameters.length, 0);
  head.writeInt32BE(startup.readInt32BE(4), 4);
  return Buffer.concat([head, parameters]);
}
