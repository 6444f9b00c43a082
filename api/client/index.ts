import createClient from "openapi-fetch";
import type { KeptClient } from "./calls.ts";
import { fetchWithRetries, type RetryLimits } from "./retry.ts";
import type { paths } from "./schema.ts";

export { dataOf, type KeptClient } from "./calls.ts";
export { KeptError, type KeptErrorCode, NoAnswerError, WaitingError } from "./errors.ts";
export { createGroup, type EarlierId, type Group, type GroupResults, type Handle } from "./group.ts";
export { changesSince, everyItem } from "./listing.ts";
export type { RetryLimits } from "./retry.ts";
export type { components, operations, paths } from "./schema.ts";

type KeptClientOptions = Readonly<{
  /** The address of Kept, for example http://localhost:3000. */
  url: string;
  /** A personal access token or one of an OAuth client; a function may renew it, and is asked before each request. */
  token: string | (() => Promise<string>);
  /** By default five attempts and 90 seconds, within which every rate limit ends. */
  retries?: Partial<RetryLimits>;
}>;

const defaultRetries: RetryLimits = { attempts: 5, totalMs: 90_000 };

/**
 * A client of one Kept for one token. Calls resolve to `data` or `error` with the `response`; they reject with a
 * NoAnswerError when the network keeps failing, or with the reason of a call's aborted `signal`.
 */
export function createKeptClient({ url, token, retries }: KeptClientOptions): KeptClient {
  const client = createClient<paths>({
    baseUrl: `${url.replace(/\/+$/, "")}/api/v1`,
    fetch: fetchWithRetries({ ...defaultRetries, ...retries }),
  });
  client.use({
    async onRequest({ request }) {
      request.headers.set("authorization", `Bearer ${typeof token === "string" ? token : await token()}`);
      return request;
    },
  });
  return client;
}
