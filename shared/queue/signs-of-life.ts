import type { RedisConnection } from "./connections.ts";

/** A process gives a sign this often (ms), and each lasts for a few of them. */
export const signEveryMs = 250;
const signLastsMs = 1_000;

const keyOf = (queuePrefix: string): string => `${queuePrefix}:workers-alive`;

/** Says that a worker of these lanes runs. What Redis does not take now, the next sign makes up for. */
export function giveSign(redis: RedisConnection, prefixes: readonly string[]): void {
  for (const prefix of prefixes) redis.set(keyOf(prefix), 1, "PX", signLastsMs).catch(() => {});
}

/** Redis is asked in vain for no longer than this. */
const answerMs = 200;

/** True if a worker of this lane has given a recent sign of life. */
export const hasSign = (redis: RedisConnection, queuePrefix: string): Promise<boolean> =>
  Promise.race([
    redis.exists(keyOf(queuePrefix)).then(
      (count) => count > 0,
      () => false,
    ),
    Bun.sleep(answerMs).then(() => false),
  ]);
