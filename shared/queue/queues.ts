import { Redis } from "ioredis";

/** BullMQ's names and key prefix. The braces keep all keys of one queue in one Redis Cluster slot. */
export const commandQueue = "commands";
export const keyPrefix = (queuePrefix: string): string => `{${queuePrefix}}`;
export const replyChannel = (queuePrefix: string, doorId: string): string => `${queuePrefix}:reply:${doorId}`;

/**
 * A connection that answers at once when Redis is away and within `commandTimeout` ms when it is frozen, and
 * heals by itself. BullMQ must not wait for it at start, else a process started while Redis is down stays dead.
 */
export function connectImpatient(url: string, commandTimeout = 1_500): Redis {
  return quiet(
    new Redis(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      commandTimeout,
      connectTimeout: 1_500,
      retryStrategy,
    }),
  );
}

/** A connection for blocking reads and subscriptions: it waits, and reconnects for ever. */
export function connectPatient(url: string): Redis {
  return quiet(new Redis(url, { maxRetriesPerRequest: null, connectTimeout: 1_500, retryStrategy }));
}

const retryStrategy = (attempt: number): number => Math.min(50 * attempt, 500);

/** Connection errors show in the command that fails; unheard `error` events would end the process. */
function quiet(redis: Redis): Redis {
  redis.on("error", () => {});
  return redis;
}
