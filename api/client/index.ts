import createClient, { type Client } from "openapi-fetch";
import { fetchWithRetries, type RetryLimits } from "./retry.ts";
import type { paths } from "./schema.ts";

export type { RetryLimits } from "./retry.ts";
export type { components, operations, paths } from "./schema.ts";

/** The openapi-fetch client of Kept's routes: `GET`, `POST` and so on, typed by path. */
export type KeptClient = Client<paths>;

type KeptClientOptions = Readonly<{
  /** The address of Kept, for example http://localhost:3000. */
  url: string;
  /** A personal access token or one of an OAuth client. */
  token: string;
  /** By default five attempts and 90 seconds, within which every rate limit ends. */
  retries?: Partial<RetryLimits>;
}>;

const defaultRetries: RetryLimits = { attempts: 5, totalMs: 90_000 };

/**
 * A client of one Kept for one token. Calls resolve to `data` or `error` with the `response`; they reject when the
 * network keeps failing, or when a call's `signal` is aborted.
 */
export function createKeptClient({ url, token, retries }: KeptClientOptions): KeptClient {
  return createClient<paths>({
    baseUrl: `${url.replace(/\/+$/, "")}/api/v1`,
    headers: { authorization: `Bearer ${token}` },
    fetch: fetchWithRetries({ ...defaultRetries, ...retries }),
  });
}
