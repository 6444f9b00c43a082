import { afterAll } from "bun:test";

/** One request to a message server. */
export type Taken = Readonly<{ path: string; headers: Record<string, string>; body: Buffer }>;

/** A server that keeps posted messages, by TLS if it is given a certificate. */
export function startInbox(tls?: Readonly<{ cert: string; key: string }>) {
  const taken: Taken[] = [];
  const behaviour = { status: (_path: string): number => 201 };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    ...(tls && { tls }),
    async fetch(request) {
      const path = new URL(request.url).pathname;
      const body = Buffer.from(await request.arrayBuffer());
      const status = behaviour.status(path);
      if (status < 300) taken.push({ path, headers: Object.fromEntries(request.headers), body });
      return new Response(null, { status });
    },
  });
  afterAll(() => server.stop(true));
  return { url: `${tls ? "https" : "http"}://localhost:${server.port}`, taken, behaviour };
}
