import { createServer, type Server } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

/** The provider ends a sign-in after this long. */
const signInMs = 10 * 60_000;

const page = `<!doctype html><html lang="en"><title>Kept</title><p>You can close this page and return to the terminal.</p></html>`;

type Callback = Readonly<{
  redirectUri: string;
  /** The parameters with which the browser comes back with this state. */
  arrival(state: string): Promise<URLSearchParams>;
  close(): void;
}>;

/** Listens on this computer only, at a port that the system chooses (RFC 8252 §7.3). */
export async function openCallback(): Promise<Callback> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    redirectUri: `http://127.0.0.1:${port}/callback`,
    async arrival(state) {
      const tooLate = pause(signInMs, undefined, { ref: false });
      const arrived = await Promise.race([firstArrival(server, state), tooLate]);
      if (!arrived) throw new Error("Nobody signed in within ten minutes.");
      return arrived;
    },
    close: () => void server.close(),
  };
}

/** Other programs of this computer may ask, too; only the provider's answer knows the state. */
const firstArrival = (server: Server, state: string): Promise<URLSearchParams> =>
  new Promise((resolve) => {
    server.on("request", ({ url }, response) => {
      const { pathname, searchParams } = new URL(url ?? "/", "http://127.0.0.1");
      const isOurs = pathname === "/callback" && searchParams.get("state") === state;
      const headers = { "content-type": "text/html; charset=utf-8", connection: "close" };
      response.writeHead(isOurs ? 200 : 404, headers).end(isOurs ? page : "");
      if (isOurs) resolve(searchParams);
    });
  });
