import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { type BlockList, isIPv6 } from "node:net";
import type { Config } from "../../shared/process/config.ts";
import { boundConnections } from "./connections.ts";

const drainMs = 5_000;

type ServerConfig = Pick<Config, "host" | "identityPort" | "authUrl" | "trustedProxies">;

/** Serves HTTP on IDENTITY_PORT: on HOST, else on both loopback addresses. Returns what stops it. */
export async function serve(
  listener: RequestListener,
  { host, identityPort, authUrl, trustedProxies }: ServerConfig,
): Promise<() => Promise<void>> {
  const pin = pinAddress(new URL(authUrl), trustedProxies);
  const pinned: RequestListener = (request, response) => {
    pin(request);
    listener(request, response);
  };
  const hosts = host === undefined ? ["127.0.0.1", "::1"] : [host];
  const servers = await Promise.all(
    hosts.map((address) => listen(boundConnections(createServer(pinned)), identityPort, address)),
  );
  return async () => {
    await Promise.all(servers.map((server) => server && close(server)));
  };
}

/**
 * Every address in an answer is built on AUTH_URL, never on what a client puts into Host; and only a proxy says who
 * the client is, because anybody else could have a new network address for each attempt.
 */
function pinAddress({ host, protocol }: URL, trusted: BlockList): (request: IncomingMessage) => void {
  return ({ headers, socket }) => {
    // A socket for both families writes IPv4 addresses so.
    const peer = (socket.remoteAddress ?? "").replace(/^::ffff:/, "");
    if (!trusted.check(peer, isIPv6(peer) ? "ipv6" : "ipv4")) delete headers["x-forwarded-for"];
    headers.host = host;
    headers["x-forwarded-proto"] = protocol.slice(0, -1);
    delete headers["x-forwarded-host"];
  };
}

function listen(server: Server, port: number, host: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      const isMissing = "code" in error && (error.code === "EADDRNOTAVAIL" || error.code === "EAFNOSUPPORT");
      // A machine without IPv6 has no ::1, and that is fine.
      if (host === "::1" && isMissing) resolve(undefined);
      else reject(error);
    });
    server.listen(port, host, () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    // Those of senders that are slow on purpose.
    setTimeout(() => server.closeAllConnections(), drainMs).unref();
  });
}
