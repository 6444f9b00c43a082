import type { Config } from "../shared/config.ts";

const idleTimeoutSeconds = 30;
const drainMs = 5_000;

export type Listener = Readonly<{ stop(): Promise<void> }>;

/** Listens on HOST, or on both loopback addresses: `localhost` means either, as the client likes. */
export function listen(
  { host, port }: Pick<Config, "host" | "port">,
  answer: (request: Request, remoteAddress: () => string | undefined) => Promise<Response> | Response,
): Listener[] {
  const serve = (hostname: string) =>
    Bun.serve({
      hostname,
      port,
      // Bun's development page would show our source to whoever makes a request fail.
      development: false,
      // The address is asked for only when it matters: each time is a system call.
      fetch: (request, server) => answer(withFullAddress(request), () => server.requestIP(request)?.address),
      idleTimeout: idleTimeoutSeconds,
    });
  if (host !== undefined) return [listener(serve(host))];
  const servers = [listener(serve("127.0.0.1"))];
  try {
    servers.push(listener(serve("::1")));
  } catch {
    // A machine without IPv6 is served on IPv4 alone.
  }
  return servers;
}

/**
 * Without a usable Host header (HTTP/1.0) a request has but a path, which URL refuses; and Elysia looks for the
 * path of a request after a host of at least four characters. Nothing of ours depends on the host in the URL.
 */
function withFullAddress(request: Request): Request {
  if (/^https?:\/\/[^/]{4}/.test(request.url)) return request;
  const path = request.url.replace(/^https?:\/\/[^/]*/, "");
  return new Request(`http://localhost${path}`, request);
}

/** Requests under way are answered; idle connections, which a bare stop waits for, are closed. */
function listener(server: ReturnType<typeof Bun.serve>): Listener {
  return {
    async stop() {
      void server.stop();
      const deadline = Date.now() + drainMs;
      while (server.pendingRequests > 0 && Date.now() < deadline) await Bun.sleep(5);
      await server.stop(true);
    },
  };
}
