import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { Config } from "../../shared/config.ts";
import { boundConnections } from "./connections.ts";

const DRAIN_MS = 5_000;

/** Serves HTTP on IDENTITY_PORT: on HOST, else on both loopback addresses. Returns what stops it. */
export async function serve(
  listener: RequestListener,
  { host, identityPort, authUrl }: Pick<Config, "host" | "identityPort" | "authUrl">,
): Promise<() => Promise<void>> {
  const pin = pinAddress(new URL(authUrl));
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

/** Every address in an answer is built on AUTH_URL, never on what a client puts into Host. */
function pinAddress({ host, protocol }: URL): (request: IncomingMessage) => void {
  return ({ headers }) => {
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
    setTimeout(() => server.closeAllConnections(), DRAIN_MS).unref();
  });
}
