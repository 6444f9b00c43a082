import type { IncomingMessage } from "node:http";
import https from "node:https";
import { Readable } from "node:stream";
import type { Configuration } from "oidc-provider";
import { mayBePublic } from "../../../shared/domain/public-address.ts";
import type { Config } from "../../../shared/process/config.ts";
import { guardedLookup } from "../../../shared/process/guarded-lookup.ts";

/**
 * Makes the only fetch of the provider: of documents at public addresses, without redirects. oidc-provider checks their
 * contents and ends it after 2.5 s or 5 KiB.
 * @param ca certificates to trust, in tests
 */
export function openDocumentFetch(
  { webhookAllowLoopback }: Pick<Config, "webhookAllowLoopback">,
  ca?: string,
): NonNullable<Configuration["fetch"]> {
  const lookup = guardedLookup(webhookAllowLoopback);
  const headers = { accept: "application/json", "user-agent": "Kept" };
  return (address, init) => {
    const signal = init?.signal;
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const url = new URL(String(address));
    // A numeric address is never resolved, so it is checked here.
    if (!mayBePublic(url.hostname, webhookAllowLoopback)) return Promise.reject(new Error("no public host"));
    const options = { lookup, headers, agent: false, ...(signal && { signal }), ...(ca && { ca }) };
    const request = https.get(url, options, (answer) => {
      if (answer.statusCode !== 200) request.destroy(new Error(`status ${answer.statusCode}`));
      else resolve(responseOf(answer));
    });
    request.on("error", reject);
    return promise;
  };
}

/** Only the headers that say how long a document may be kept count. */
function responseOf(answer: IncomingMessage): Response {
  const headers = new Headers();
  for (const name of ["cache-control", "expires"] as const)
    if (answer.headers[name]) headers.set(name, answer.headers[name]);
  return new Response(Readable.toWeb(answer) as ReadableStream, { headers });
}
