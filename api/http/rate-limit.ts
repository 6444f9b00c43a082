import {
  type IRateLimiterOptions,
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from "rate-limiter-flexible";
import { type Refused, refuse } from "../../shared/errors.ts";
import type { Config } from "../../shared/process/config.ts";
import type { RedisConnection } from "../../shared/queue/connections.ts";
import type { Mailbox } from "../mailbox/mailbox.ts";

const minute = 60;
/** All tokens of an account together have the limits of this many, because making tokens costs nothing. */
const tokensOfAccount = 5;

export type Allowance = Readonly<{
  allowed: boolean;
  limit: number;
  remaining: number;
  resetInSeconds: number;
  /** Epoch seconds. */
  resetsAt: number;
}>;

/** Counts a request of a token, and of its account if that is known. */
export type RateLimit = (tokenId: string, userId?: string) => Promise<Allowance>;

/**
 * `limit` requests in windows of `duration` seconds from a token's first request, exact over all front doors. Without
 * Redis, each process counts for itself, as it always does for accounts.
 * @param onFallback called for each request that this process counts by itself
 */
export function createRateLimit(
  redis: RedisConnection,
  keyPrefix: string,
  limit: number,
  now: () => number,
  onFallback: () => void,
  duration = minute,
): RateLimit {
  const options = { keyPrefix, points: limit, duration };
  const limiter = new RateLimiterRedis({
    ...options,
    storeClient: redis,
    // A token over the limit is refused without asking Redis until the window ends.
    inMemoryBlockOnConsumed: limit + 1,
    rejectIfRedisNotReady: true,
    insuranceLimiter: createFallback(options, onFallback),
  });
  return limitBy(limiter, options, now);
}

/** The same limit, counted by this process alone, so no request asks Redis. */
export function createLocalRateLimit(limit: number, now: () => number): RateLimit {
  const options = { points: limit, duration: minute };
  return limitBy(new RateLimiterMemory(options), options, now);
}

type Window = Readonly<{ points: number; duration: number }>;

function limitBy(ofToken: RateLimiterAbstract, { points, duration }: Window, now: () => number): RateLimit {
  const ofAccount = new RateLimiterMemory({ points: points * tokensOfAccount, duration });
  return async (tokenId, userId) => {
    const token = await consume(ofToken, tokenId);
    // Refused requests of one token use up nothing of the account's other tokens.
    const account = token.allowed && userId !== undefined ? await consume(ofAccount, userId) : undefined;
    const { allowed, state } = account?.allowed === false ? account : token;
    const resetInSeconds = secondsLeft(state);
    const resetsAt = Math.ceil(now() / 1000) + resetInSeconds;
    return {
      allowed,
      limit: points,
      remaining: Math.max(0, state.remainingPoints),
      resetInSeconds,
      resetsAt,
    };
  };
}

const consume = (limiter: RateLimiterAbstract, key: string) =>
  limiter.consume(key).then(
    (state) => ({ allowed: true, state }),
    (refused: unknown) => {
      if (refused instanceof RateLimiterRes) return { allowed: false, state: refused };
      throw refused;
    },
  );

/** @returns the seconds to wait; 0 when the limit has room */
export const secondsToWait = (limiter: RateLimiterAbstract, key: string, points = 1): Promise<number> =>
  limiter.consume(key, points).then(() => 0, secondsLeft);

function secondsLeft(refused: unknown): number {
  if (refused instanceof RateLimiterRes) return Math.max(1, Math.ceil(refused.msBeforeNext / 1000));
  throw refused;
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

/** The IETF draft's `RateLimit` fields and the `X-RateLimit` ones that most clients read. */
export function rateLimitHeaders({ limit, remaining, resetInSeconds, resetsAt }: Allowance): Headers {
  const headers = new Headers();
  // Setting them one by one takes half the time of a constructor's list.
  headers.set("ratelimit-policy", `"default";q=${limit};w=${minute}`);
  headers.set("ratelimit", `"default";r=${remaining};t=${resetInSeconds}`);
  headers.set("x-ratelimit-limit", String(limit));
  headers.set("x-ratelimit-remaining", String(remaining));
  headers.set("x-ratelimit-reset", String(resetsAt));
  return headers;
}

const hour = 3_600;
/** Deletions, and what the door itself sends: a read's row in the log must not fail. */
const isFree = /\.delete$|^action\.(record|count)$|^journal\./;

/** A mailbox that takes only so many bytes of an account in an hour. Each front door counts by itself. */
export function limitSentBytes(
  mailbox: Mailbox,
  { sentMegabytesPerHour }: Pick<Config, "sentMegabytesPerHour">,
): Mailbox {
  if (sentMegabytesPerHour === 0) return mailbox;
  const limiter = new RateLimiterMemory({ points: sentMegabytesPerHour * 1_000_000, duration: hour });
  return {
    ...mailbox,
    async send(command) {
      if (isFree.test(command.name)) return mailbox.send(command);
      const { userId, input, group } = command;
      const bytes = Buffer.byteLength(JSON.stringify(group ?? input ?? null));
      const seconds = await secondsToWait(limiter, userId, bytes);
      return seconds === 0 ? mailbox.send(command) : { outcome: sentTooMuch(seconds), replayed: false };
    },
  };
}

const sentTooMuch = (seconds: number): Refused =>
  refuse("rate_limited", "Your account sent too much in this hour", {
    next: `wait ${seconds} seconds.`,
    retryAfterSeconds: seconds,
  });
