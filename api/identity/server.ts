import { createServer, type RequestListener, type Server } from "node:http";
import type { Config } from "../../shared/process/config.ts";
import { isTrustedProxy } from "../http/intake/network.ts";
import { boundConnections } from "./connections.ts";

const lastRequestsMs = 5_000;

/**
 * Serves HTTP on IDENTITY_PORT, at HOST or else at both loopback addresses.
 * @returns a function that stops it
 */
export async function serve(
  listener: RequestListener,
  { host, identityPort }: Pick<Config, "host" | "identityPort">,
): Promise<() => Promise<void>> {
  const hosts = host === undefined ? ["127.0.0.1", "::1"] : [host];
  const servers = await Promise.all(
    hosts.map((address) => listen(boundConnections(createServer(listener)), identityPort, address)),
  );
  return async () => {
    await Promise.all(servers.map((server) => server && close(server)));
  };
}

/**
 * Makes oidc-provider build its addresses on AUTH_URL, never on a client's Host header. X-Forwarded-For counts from
 * trusted proxies only, because others could claim a new network for each attempt.
 */
export function pinAddress(
  listener: RequestListener,
  { authUrl, trustedProxies }: Pick<Config, "authUrl" | "trustedProxies">,
): RequestListener {
  const { host, protocol } = new URL(authUrl);
  return (request, response) => {
    const { headers, socket } = request;
    if (!isTrustedProxy(trustedProxies, socket.remoteAddress ?? "")) delete headers["x-forwarded-for"];
    headers.host = host;
    headers["x-forwarded-proto"] = protocol.slice(0, -1);
    delete headers["x-forwarded-host"];
    listener(request, response);
  };
}

function listen(server: Server, port: number, host: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      const isMissing = "code" in error && (error.code === "EADDRNOTAVAIL" || error.code === "EAFNOSUPPORT");
      // A machine without IPv6 has no ::1; this is no error.
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
    // Ends the connections of clients that send slowly on purpose.
    setTimeout(() => server.closeAllConnections(), lastRequestsMs).unref();
  });
}
