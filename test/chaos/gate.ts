import type { Socket } from "bun";
import { freePort } from "../../shared/embedded/port.ts";

/** A way to a server that can be shut, as when the server's machine is gone, and opened again. */
export type Gate = Readonly<{
  /** The server's address, through the gate. */
  url: string;
  /** Ends every connection and refuses new ones. */
  shut(): void;
  open(): void;
}>;

type Ends = { other: Socket<Ends> | undefined; early: Buffer[] };

/** Puts a gate before the server of `address`, on a port of its own that stays the same. */
export async function openGate(address: string): Promise<Gate> {
  const target = new URL(address);
  const open = new Set<Socket<Ends>>();
  const close = (socket: Socket<Ends>) => {
    open.delete(socket);
    socket.data.other?.end();
  };
  const forward = {
    data(socket: Socket<Ends>, chunk: Buffer) {
      if (socket.data.other) socket.data.other.write(chunk);
      else socket.data.early.push(Buffer.from(chunk));
    },
    close,
    error: close,
  };
  function accept(socket: Socket<Ends>) {
    socket.data = { other: undefined, early: [] };
    open.add(socket);
    const connected = (other: Socket<Ends>) => {
      other.data = { other: socket, early: [] };
      for (const chunk of socket.data.early) other.write(chunk);
      socket.data.other = other;
    };
    const { hostname, port } = target;
    Bun.connect({ hostname, port: Number(port), socket: { ...forward, open: connected } }).catch(() =>
      socket.end(),
    );
  }
  const port = await freePort();
  const listen = () =>
    Bun.listen<Ends>({ hostname: "127.0.0.1", port, socket: { ...forward, open: accept } });
  let listener = listen();
  const url = new URL(address);
  url.port = String(port);
  return {
    url: url.href,
    shut() {
      listener.stop(true);
      for (const socket of open) socket.end();
    },
    open() {
      listener = listen();
    },
  };
}
