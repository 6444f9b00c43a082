import { Redis } from "ioredis";

/** The pub/sub channel on which one front door hears the replies to its batches. */
export const replyChannel = (queuePrefix: string, doorId: string): string => `${queuePrefix}:reply:${doorId}`;

/** A path that gave no answer for this long is given up for a new connection. */
const silenceMs = 2_000;
/** The same for workers, which ask for a job for one second at a time. */
export const workerSilenceMs = 2_500;

const connectTimeout = 1_500;
const retryStrategy = (attempt: number): number => Math.min(50 * attempt, 500);

/**
 * A connection whose commands fail at once when Redis is away and within `commandTimeout` ms when it is frozen. It
 * reconnects by itself. BullMQ must not wait for it at start, or a process started while Redis is down stays dead.
 */
export function connectFailFast(url: string, commandTimeout = 1_500): Redis {
  return quiet(
    new Redis(url, {
      enableOfflineQueue: false,
      // A command left unanswered by a lost connection fails at once and is not sent again: refused the second time,
      // it would count as never sent, although the first may have arrived.
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      commandTimeout,
      socketTimeout: silenceMs,
      connectTimeout,
      retryStrategy,
    }),
  );
}

/**
 * A connection for blocking reads and subscriptions: commands wait until Redis is back, and it never stops
 * reconnecting, also when no answer came for `socketTimeout` ms: a network path can die without closing.
 */
export const connectBlocking = (url: string, socketTimeout: number): Redis =>
  quiet(new Redis(url, { maxRetriesPerRequest: null, connectTimeout, retryStrategy, socketTimeout }));

/** Resolves when the connection is ready, or when its first try has failed; it goes on trying by itself. */
export const firstTry = (redis: Redis): Promise<unknown> =>
  redis.status === "ready"
    ? Promise.resolve()
    : new Promise((resolve) => redis.once("ready", resolve).once("close", resolve));

/** Errors show in the command that fails; an `error` event without a listener would end the process. */
function quiet(redis: Redis): Redis {
  redis.on("error", () => {});
  return redis;
}
