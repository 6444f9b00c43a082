import type { Config } from "../shared/config.ts";
import { refuse } from "../shared/errors.ts";
import type { Log } from "../shared/log.ts";
import { refusalResponse } from "./http-errors.ts";
import { createFinish } from "./response-headers.ts";

const idleTimeoutSeconds = 30;
const drainMs = 5_000;

export type Listener = Readonly<{ stop(): Promise<void> }>;

/** Listens on HOST, or on both loopback addresses: `localhost` means either, as the client likes. */
export function listen(
  { host, port, baseUrl }: Pick<Config, "host" | "port" | "baseUrl">,
  log: Log,
  answer: (request: Request, remoteAddress: () => string | undefined) => Promise<Response> | Response,
): Listener[] {
  const finish = createFinish(baseUrl);
  const serve = (hostname: string) =>
    Bun.serve({
      hostname,
      port,
      // Bun's development page would show our source to whoever makes a request fail.
      development: false,
      async fetch(received, server) {
        const request = withFullAddress(received);
        if (request === undefined) return finish(refusalResponse(badHost.refusal));
        // The address is asked for only when it matters: each time is a system call.
        return finish(await answer(request, () => server.requestIP(received)?.address));
      },
      // What got past every handler: its text may hold what a client sent, so only the stack's places are noted.
      error(error) {
        log.error({ name: error.name, stack: placesOf(error) }, "request failed");
        return finish(refusalResponse(fault.refusal));
      },
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

const badHost = refuse("malformed_request", "The Host header does not name a host.");
const fault = refuse("internal", "This request failed because of a fault of the service.");

const placesOf = ({ stack }: Error): string[] =>
  stack?.match(/^\s+at .*/gm)?.map((line) => line.trim()) ?? [];

/**
 * Without a Host header (HTTP/1.0) a request has but a path, which URL refuses; and Elysia looks for the path of a
 * request after a host of at least four characters. Nothing of ours depends on the host in the URL.
 * @returns undefined when the header is no host, or there are two (RFC 9112 §3.2)
 */
function withFullAddress(request: Request): Request | undefined {
  const { url } = request;
  const host = request.headers.get("host");
  if (host?.includes(",")) return undefined;
  if (/^https?:\/\/[^/]{4}/.test(url)) return URL.canParse(url) ? request : undefined;
  if (host && !URL.canParse(url)) return undefined;
  const path = url.replace(/^https?:\/\/[^/]*/, "");
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
