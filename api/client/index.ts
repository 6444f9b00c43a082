import { setTimeout as pause } from "node:timers/promises";
import createClient from "openapi-fetch";
import type { KeptClient } from "./calls.ts";
import { NoAnswerError } from "./errors.ts";
import type { paths } from "./schema.ts";

export {
  changesSince,
  createGroup,
  dataOf,
  type EarlierId,
  everyItem,
  type Group,
  type GroupResults,
  type Handle,
  type KeptClient,
} from "./calls.ts";
export { KeptError, type KeptErrorCode, NoAnswerError, WaitingError } from "./errors.ts";
export type { components, operations, paths } from "./schema.ts";
export type { RetryLimits };

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

type RetryLimits = Readonly<{
  /** The most attempts for a request. */
  attempts: number;
  /** Milliseconds after which no attempt is started or awaited. */
  totalMs: number;
}>;

type Send = (request: Request) => Promise<Response>;
type Outcome = Readonly<{ response: Response } | { error: unknown }>;

const firstPauseMs = 300;
const longestPauseMs = 5_000;
/** Kept answers within two seconds, so after this long the network has lost the request or its answer. */
const attemptMs = 15_000;
const idempotencyKey = "idempotency-key";

/** Too many requests, and the answers of Kept or a proxy during a partial outage. */
const transientStatuses = [429, 502, 503, 504];

/**
 * A `fetch` that repeats a request when the network failed or the service asks for a later attempt. Changes get an
 * idempotency key, the same for all attempts, so that Kept makes them once.
 */
function fetchWithRetries({ attempts, totalMs }: RetryLimits): Send {
  return async (request) => {
    if (isChange(request) && !request.headers.has(idempotencyKey))
      request.headers.set(idempotencyKey, crypto.randomUUID());
    const body = await request.arrayBuffer();
    const deadline = performance.now() + totalMs;
    for (let attempt = 1; ; attempt++) {
      const outcome = await sendOnce(request, body, Math.min(attemptMs, deadline - performance.now()));
      request.signal.throwIfAborted();
      const pauseMs = pauseBefore(attempt, outcome);
      const isLast = attempt >= attempts || performance.now() + pauseMs >= deadline;
      if (isLast || !isTransient(outcome)) return settled(request, outcome);
      await pause(pauseMs, undefined, { signal: request.signal }).catch(() =>
        request.signal.throwIfAborted(),
      );
    }
  };
}

const isChange = ({ method }: Request): boolean => method !== "GET" && method !== "HEAD";

/** Sends a copy with the body, because a request's body can be read only once. */
async function sendOnce(request: Request, sent: ArrayBuffer, timeoutMs: number): Promise<Outcome> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(Math.ceil(timeoutMs))]);
  try {
    const response = await fetch(new Request(request, { signal, body: contentOf(sent) }));
    // An answer counts only when it is complete: a connection can break in its middle.
    const body = await response.arrayBuffer();
    return { response: new Response(contentOf(body), response) };
  } catch (error) {
    return { error };
  }
}

/** Some methods and statuses allow no body, not even an empty one. */
const contentOf = (bytes: ArrayBuffer): ArrayBuffer | null => (bytes.byteLength > 0 ? bytes : null);

const isTransient = (outcome: Outcome): boolean =>
  "error" in outcome || transientStatuses.includes(outcome.response.status);

function settled(request: Request, outcome: Outcome): Response {
  if ("error" in outcome) throw new NoAnswerError(isChange(request) ? "unknown" : "no", outcome.error);
  return outcome.response;
}

/**
 * Waits as long as the service asks, or longer each time, plus a random part, so that clients do not return all at
 * once.
 */
function pauseBefore(attempt: number, outcome: Outcome): number {
  const growing = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1)) / 2;
  const asked = "response" in outcome ? outcome.response.headers.get("retry-after") : null;
  const least = asked !== null && /^\d+$/.test(asked) ? Number(asked) * 1_000 : growing;
  return least + Math.random() * growing;
}
