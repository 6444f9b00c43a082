import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { Config } from "../process/config.ts";
import { type RedisConnection, subscribe } from "./connections.ts";

/**
 * On this channel front doors repeat which users have open pages, and workers which have webhooks. So workers announce
 * only changes that somebody watches, and other changes cost nothing more.
 */
export const watchedChannel = (queuePrefix: string): string => `${queuePrefix}:watched`;

/** On this channel workers announce commits for watched users. A lost message does no harm. */
export const changedChannel = (queuePrefix: string): string => `${queuePrefix}:changed`;

/** Milliseconds between announcements, and the time for which each holds. */
const sayWatchedMs = 5_000;
export const watchedForMs = 3 * sayWatchedMs;

const userIds = Compile(Type.Array(Type.String()));

export const writeUsers = (ids: Iterable<string>): string => JSON.stringify([...ids]);

/** @returns nobody for a malformed message */
export function readUsers(text: string): readonly string[] {
  try {
    const ids: unknown = JSON.parse(text);
    return userIds.Check(ids) ? ids : [];
  } catch {
    return [];
  }
}

type Watch = Readonly<{ users(): Iterable<string>; onChange(userId: string): void }>;

/** Announces who is watched in this process, and hears of their changes. */
export async function watchUsers(
  { redisUrl, queuePrefix }: Pick<Config, "redisUrl" | "queuePrefix">,
  redis: RedisConnection,
  { users, onChange }: Watch,
) {
  const subscription = await subscribe(redisUrl, changedChannel(queuePrefix), {
    onMessage(text) {
      for (const userId of readUsers(text)) onChange(userId);
    },
  });
  function say(some: readonly string[]): void {
    if (some.length > 0) redis.publish(watchedChannel(queuePrefix), writeUsers(some)).catch(() => {});
  }
  const saying = setInterval(() => say([...users()]), sayWatchedMs);
  return {
    /** Announces users at once. */
    say,
    close(): void {
      clearInterval(saying);
      subscription.close();
    },
  };
}
