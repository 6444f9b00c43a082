import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../shared/process/config.ts";
import { readBounded, tooLarge } from "../http/input.ts";
import { clientOf } from "../http/request.ts";
import { refusalResponse } from "../http/response.ts";

const mostBytes = 64 * 1024;

/** These belong to one connection (RFC 9110 §7.6.1), or are written anew for the next. */
const ofConnection = ["connection", "keep-alive", "transfer-encoding", "content-length", "date"];

/**
 * Puts a listener of Node behind the front door, because oidc-provider needs Node's requests. The folder of the socket is
 * nobody else's, so only this process can name a client's network or the site.
 */
export async function openSocket(listener: RequestListener, { baseUrl }: Pick<Config, "baseUrl">) {
  const folder = await mkdtemp(join(tmpdir(), "kept-"));
  const unix = join(folder, "identity");
  const server = createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(unix, resolve);
  });
  const { host, protocol } = new URL(baseUrl);

  function headersOf(request: Request): Headers {
    const headers = new Headers(request.headers);
    for (const name of [...ofConnection, "x-forwarded-host"]) headers.delete(name);
    headers.set("host", host);
    headers.set("x-forwarded-proto", protocol.slice(0, -1));
    headers.set("x-forwarded-for", clientOf(request));
    // Otherwise `fetch` names itself.
    if (!headers.has("user-agent")) headers.set("user-agent", "");
    return headers;
  }

  return {
    async answer(request: Request): Promise<Response> {
      const { method, url } = request;
      const body = await readBounded(request.body, mostBytes);
      if (typeof body === "string") return refusalResponse(tooLarge.refusal);
      const answer = await fetch(`http://${host}${url.slice(url.indexOf("/", "https://".length))}`, {
        ...{ unix, method, headers: headersOf(request), redirect: "manual", decompress: false },
        ...(body.byteLength > 0 && { body }),
      });
      const headers = new Headers(answer.headers);
      for (const name of ofConnection) headers.delete(name);
      const { status } = answer;
      return new Response(status === 204 || status === 304 ? null : await answer.bytes(), {
        status,
        headers,
      });
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await rm(folder, { recursive: true });
    },
  };
}
