import { Redis } from "ioredis";

/** BullMQ's names and key prefix. The braces keep all keys of one queue in one Redis Cluster slot. */
export const commandQueue = "commands";
export const keyPrefix = (queuePrefix: string): string => `{${queuePrefix}}`;
export const replyChannel = (queuePrefix: string, doorId: string): string => `${queuePrefix}:reply:${doorId}`;

/**
 * A connection that answers at once when Redis is away and within `commandTimeout` ms when it is frozen, and
 * heals by itself. BullMQ must not wait for it at start, else a process started while Redis is down stays dead.
 */
export function connectFailFast(url: string, commandTimeout = 1_500): Redis {
  return quiet(
    new Redis(url, {
      enableOfflineQueue: false,
      // What a lost connection leaves unanswered fails at once and is not sent again: refused the second time, it
      // would count as never sent, although the first may have arrived.
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      commandTimeout,
      // A path that died without a word is given up for a new one.
      socketTimeout: silenceMs,
      connectTimeout: 1_500,
      retryStrategy,
    }),
  );
}

/**
 * A connection for blocking reads and subscriptions: it waits, and reconnects for ever, also when nothing came for
 * `socketTimeout` ms after something was asked: a path can die without a word.
 */
export const connectBlocking = (url: string, socketTimeout: number): Redis =>
  quiet(new Redis(url, { maxRetriesPerRequest: null, connectTimeout: 1_500, retryStrategy, socketTimeout }));

/** How long (s) an idle worker asks for jobs at a time, and how long (ms) it believes in a path without an answer. */
export const pollSeconds = 1;
export const workerSilenceMs = 2_500;

/** Resolves when the connection stands, or its first try has failed: it goes on trying by itself. */
export const firstTry = (redis: Redis): Promise<unknown> =>
  redis.status === "ready"
    ? Promise.resolve()
    : new Promise((resolve) => redis.once("ready", resolve).once("close", resolve));

const silenceMs = 2_000;

const retryStrategy = (attempt: number): number => Math.min(50 * attempt, 500);

/** Connection errors show in the command that fails; unheard `error` events would end the process. */
function quiet(redis: Redis): Redis {
  redis.on("error", () => {});
  return redis;
}
