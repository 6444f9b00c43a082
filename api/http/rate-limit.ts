import {
  type IRateLimiterOptions,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from "rate-limiter-flexible";
import type { RedisConnection } from "../../shared/queue/connections.ts";

const windowSeconds = 60;

/** What is left of a token's limit after a request. */
export type Allowance = Readonly<{
  allowed: boolean;
  limit: number;
  remaining: number;
  resetInSeconds: number;
  /** Epoch seconds. */
  resetsAt: number;
}>;

/**
 * Counts one request of a token.
 * @returns undefined when the limit is off
 */
export type RateLimit = (tokenId: string) => Promise<Allowance | undefined>;

/**
 * `limit` requests in windows of 60 s from a token's first request, exact over all front doors. Without
 * Redis, each process counts for itself.
 * @param onFallback called for each request that this process counts by itself
 */
export function createRateLimit(
  redis: RedisConnection,
  keyPrefix: string,
  limit: number,
  now: () => number,
  onFallback: () => void,
): RateLimit {
  if (limit === 0) return async () => undefined;
  const options = { keyPrefix, points: limit, duration: windowSeconds };
  const limiter = new RateLimiterRedis({
    ...options,
    storeClient: redis,
    // A token over the limit is refused without asking Redis until the window ends.
    inMemoryBlockOnConsumed: limit + 1,
    rejectIfRedisNotReady: true,
    insuranceLimiter: createFallback(options, onFallback),
  });
  return async (tokenId) => {
    const { allowed, state } = await limiter.consume(tokenId).then(
      (state) => ({ allowed: true, state }),
      (refused: unknown) => {
        if (refused instanceof RateLimiterRes) return { allowed: false, state: refused };
        throw refused;
      },
    );
    const resetInSeconds = Math.max(1, Math.ceil(state.msBeforeNext / 1000));
    const resetsAt = Math.ceil(now() / 1000) + resetInSeconds;
    return { allowed, limit, remaining: Math.max(0, state.remainingPoints), resetInSeconds, resetsAt };
  };
}

function createFallback(options: IRateLimiterOptions, onFallback: () => void): RateLimiterMemory {
  const memory = new RateLimiterMemory(options);
  const consume = memory.consume.bind(memory);
  memory.consume = (...request) => {
    onFallback();
    return consume(...request);
  };
  return memory;
}

/** The IETF draft's `RateLimit` fields and the `X-RateLimit` ones that most clients read; none when the limit is off. */
export function rateLimitHeaders(allowance: Allowance | undefined): Headers {
  const headers = new Headers();
  if (!allowance) return headers;
  const { limit, remaining, resetInSeconds, resetsAt } = allowance;
  // Setting them one by one takes half the time of a constructor's list.
  headers.set("ratelimit-policy", `"default";q=${limit};w=${windowSeconds}`);
  headers.set("ratelimit", `"default";r=${remaining};t=${resetInSeconds}`);
  headers.set("x-ratelimit-limit", String(limit));
  headers.set("x-ratelimit-remaining", String(remaining));
  headers.set("x-ratelimit-reset", String(resetsAt));
  return headers;
}
