import { connect, createServer } from "node:net";

/** The fault of a request: answered by Kept but cut off, half delivered, or answered by these bytes. */
type Fault = "cut" | "half" | Readonly<{ answer: string }>;

/** A connection between a client and Kept, on a real socket, that breaks on command. */
export async function startFaultyProxy(target: string) {
  const { hostname, port } = new URL(target);
  /** The heads of the requests that came, each with its fault or without one. */
  const heads: string[] = [];
  /** The faults of the next requests; later ones pass. */
  const faults: Fault[] = [];
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let fault: Fault | undefined;
    client.on("data", (chunk: Buffer) => {
      const [head = ""] = chunk.toString("latin1").split("\r\n\r\n");
      if (/^[A-Z]+ \//.test(head)) {
        heads.push(head);
        fault = faults.shift();
      }
      if (typeof fault === "object") client.end(fault.answer);
      else upstream.write(chunk);
    });
    upstream.on("data", (chunk: Buffer) => {
      if (fault === "cut") client.destroy();
      else if (fault === "half") client.end(chunk.subarray(0, chunk.length - 9));
      else client.write(chunk);
    });
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
    for (const socket of [client, upstream]) socket.on("error", () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const ownPort = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${ownPort}`, heads, faults, stop: () => void server.close() };
}
