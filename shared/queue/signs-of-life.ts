import type { RedisConnection } from "./connections.ts";

/** A process gives a sign this often (ms); each sign lasts a few times as long. */
export const signEveryMs = 250;
const signLastsMs = 1_000;

const keyOf = (queuePrefix: string): string => `${queuePrefix}:workers-alive`;

/** Tells that a worker runs. If Redis misses a sign, the next one replaces it. */
export function giveSign(redis: RedisConnection, queuePrefix: string): void {
  redis.set(keyOf(queuePrefix), 1, "PX", signLastsMs).catch(() => {});
}

/** A question to Redis waits no longer than this. */
const answerMs = 200;

export const hasSign = (redis: RedisConnection, queuePrefix: string): Promise<boolean> =>
  Promise.race([
    redis.exists(keyOf(queuePrefix)).then(
      (count) => count > 0,
      () => false,
    ),
    Bun.sleep(answerMs).then(() => false),
  ]);
