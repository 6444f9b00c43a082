import type { Config } from "../shared/config.ts";

const idleTimeoutSeconds = 30;

/** Listens on HOST, or on both loopback addresses: `localhost` means either, as the client likes. */
export function listen(
  { host, port }: Pick<Config, "host" | "port">,
  answer: (request: Request, remoteAddress: string | undefined) => Promise<Response> | Response,
) {
  const serve = (hostname: string) =>
    Bun.serve({
      hostname,
      port,
      fetch: (request, server) => answer(request, server.requestIP(request)?.address),
      idleTimeout: idleTimeoutSeconds,
    });
  if (host !== undefined) return [serve(host)];
  const servers = [serve("127.0.0.1")];
  try {
    servers.push(serve("::1"));
  } catch {
    // A machine without IPv6 is served on IPv4 alone.
  }
  return servers;
}
