import { type Log, throttled } from "../process/observe/log.ts";
import { connectionFailure, firstTry, type RedisConnection } from "./connections.ts";

type RedisProblem = Readonly<{ reason: string; advice: string }>;

/** The first match counts; the last is for all other failures. */
const advices: readonly (readonly [RegExp, string])[] = [
  [/WRONGPASS|NOAUTH|AUTH /, "Correct the user and the password in REDIS_URL."],
  [/NOPERM/, "Give the user of REDIS_URL the rights of docs/operations.md#a-redis-of-yours."],
  [/certificate/i, "Name the file with the certificate of its authority by NODE_EXTRA_CA_CERTS."],
  [/OOM/, "Raise maxmemory of Redis."],
  [/^/, "Look at its log, and whether it is at the address in REDIS_URL."],
];

/** Does with keys and channels of each form what Kept does, for which a user of Redis may lack rights. */
export async function problemOfRedis(
  redis: RedisConnection,
  queuePrefix: string,
): Promise<RedisProblem | undefined> {
  try {
    if (redis.status !== "ready") await firstTry(redis);
    await redis.set(`${queuePrefix}:probe`, 1, "PX", 1_000);
    const write = "return redis.call('set', KEYS[1], 1, 'PX', 1000)";
    await redis.eval(write, 1, `{${queuePrefix}}:commands:probe`);
    await redis.publish(`${queuePrefix}:probe`, "");
    return undefined;
  } catch (error) {
    const reason = (connectionFailure(redis) ?? String(error)).replace(/^\w*Error: |\.$/g, "");
    const [, advice = ""] = advices.find(([pattern]) => pattern.test(reason)) ?? [];
    return { reason, advice };
  }
}

/** @returns undefined without a problem */
export const sentenceOf = (problem: RedisProblem | undefined): string | undefined =>
  problem && `Redis cannot be used (${problem.reason}). ${problem.advice}`;

/** A health check of Redis, which says why it cannot be used. */
export function createRedisCheck(redis: RedisConnection, queuePrefix: string, log: Log) {
  const say = throttled((sentence: string) => log.error(sentence));
  return async (): Promise<boolean> => {
    const sentence = sentenceOf(await problemOfRedis(redis, queuePrefix));
    if (sentence) say(sentence);
    return sentence === undefined;
  };
}
