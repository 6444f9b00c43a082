import type { Redis } from "ioredis";
import type { Registry } from "prom-client";
import type { Database } from "../shared/db/orm.ts";
import type { Config } from "../shared/process/config.ts";
import type { Log } from "../shared/process/log.ts";
import type { JobMetrics } from "../shared/queue/job-metrics.ts";

/** What the parts of one worker process share. */
export type WorkerContext = Readonly<{
  config: Config;
  log: Log;
  /** How far tests travel from the present of PostgreSQL's clock, as an interval; in service nowhere. */
  travel(): string;
  database: Database;
  /** For adding jobs and publishing: fails at once when Redis is away. */
  publisher: Redis;
  /** For taking jobs: waits for Redis. */
  blocking: Redis;
  /** What /metrics of this process shows. */
  registry: Registry;
  jobMetrics: JobMetrics;
}>;
