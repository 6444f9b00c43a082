import { workerData } from "node:worker_threads";
import type { Config } from "../../shared/process/config.ts";
import { connectFailFast } from "../../shared/queue/connections.ts";
import { giveSign, signEveryMs } from "../../shared/queue/signs-of-life.ts";

/** This thread keeps running while the main one computes, and stops when the process is frozen or dies. */
const { redisUrl, queuePrefix }: SignThreadData = workerData;
const redis = connectFailFast(redisUrl);
redis.once("ready", () => giveSign(redis, queuePrefix));
setInterval(() => giveSign(redis, queuePrefix), signEveryMs);

export type SignThreadData = Pick<Config, "redisUrl" | "queuePrefix">;
