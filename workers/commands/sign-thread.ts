import { workerData } from "node:worker_threads";
import { connectFailFast } from "../../shared/queue/connections.ts";
import { giveSign, signEveryMs } from "../../shared/queue/signs-of-life.ts";

/** This thread keeps running while the main one computes, and stops when the process is frozen or dies. */
const { redisUrl, prefixes }: SignThreadData = workerData;
const redis = connectFailFast(redisUrl);
redis.once("ready", () => giveSign(redis, prefixes));
setInterval(() => giveSign(redis, prefixes), signEveryMs);

export type SignThreadData = Readonly<{ redisUrl: string; prefixes: readonly string[] }>;
