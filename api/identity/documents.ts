import type { IncomingMessage } from "node:http";
import https from "node:https";
import type { Configuration } from "oidc-provider";
import { readReceiver } from "../../shared/domain/outside-address.ts";
import { guardedLookup } from "../../shared/process/guarded-lookup.ts";
import { isObject, parseJson, readBounded } from "../http/input.ts";
import type { IdentityContext } from "./accounts/context.ts";
import { findApp } from "./grants.ts";
import { requestUnderWay } from "./journal.ts";

const maxBytes = 5 * 1_024;

/** The reason why an app's document cannot be read, as a page shows it. */
export class UnreadDocument extends Error {}

export type Documents = Readonly<{
  /** True if the document of this app may be read for the request that is served. */
  mayRead(clientId: string): Promise<boolean>;
  fetch: NonNullable<Configuration["fetch"]>;
}>;

/**
 * Reads documents by which apps name themselves. A document is read for somebody who is signed in, or for an app that is
 * connected, each within a limit of its own, so that strangers use up nobody's. The copy of the last consent serves
 * while the document cannot be read.
 * @param ca certificates to trust, in tests
 */
export function openDocuments(
  { pool, config, throttle }: Pick<IdentityContext, "pool" | "config" | "throttle">,
  ca: string | undefined,
): Documents {
  const read = createReader(config.webhookAllowLoopback, ca);
  const findReader = async () => requestUnderWay()?.findAccount?.();
  return {
    mayRead: async (clientId) =>
      (await findApp(pool, clientId)) !== undefined || (await findReader()) !== undefined,
    async fetch(address, init) {
      const clientId = String(address);
      const copy = await findApp(pool, clientId);
      try {
        const reader = copy ? clientId : String(await findReader());
        if ((await throttle.document(reader)) > 0)
          throw new UnreadDocument("Too many were read in this hour.");
        return await read(clientId, init?.signal ?? undefined);
      } catch (error) {
        if (copy && error instanceof UnreadDocument) return Response.json(copy);
        throw error;
      }
    },
  };
}

/** Makes the only fetch of the provider: of documents at public addresses, without redirects. */
function createReader(allowLoopback: boolean, ca: string | undefined) {
  const lookup = guardedLookup(allowLoopback);
  const headers = { accept: "application/json", "user-agent": "Kept" };
  return async (clientId: string, signal: AbortSignal | undefined): Promise<Response> => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    // A numeric address is never resolved, so it is checked here.
    if (!readReceiver(clientId, allowLoopback))
      throw new UnreadDocument("The address leads to no public server.");
    const options = { lookup, headers, agent: false, ...(signal && { signal }), ...(ca && { ca }) };
    const request = https.get(clientId, options, resolve);
    request.on("error", ({ message }) =>
      reject(new UnreadDocument(signal?.aborted ? tooSlow : `Its server cannot be reached (${message}).`)),
    );
    const answer = await promise;
    const text = answer.statusCode === 200 ? await readBounded(answer, maxBytes) : undefined;
    request.destroy();
    return responseOf(clientId, answer, text);
  };
}

const tooSlow = "It did not arrive in time.";

/** Only the headers that say how long a document may be kept count. */
function responseOf(
  clientId: string,
  { statusCode, headers: sent }: IncomingMessage,
  text: Awaited<ReturnType<typeof readBounded>> | undefined,
): Response {
  if (text === undefined) throw new UnreadDocument(`It was answered with status ${statusCode}.`);
  if (text === "too-long") throw new UnreadDocument("It is longer than 5 KiB.");
  if (text === "broken-off") throw new UnreadDocument(tooSlow);
  const document = parseJson(String(text));
  if (!isObject(document) || document.client_id !== clientId)
    throw new UnreadDocument("It is no JSON object with its own address as client_id.");
  const headers = new Headers();
  for (const name of ["cache-control", "expires"] as const) if (sent[name]) headers.set(name, sent[name]);
  return new Response(text, { headers });
}
