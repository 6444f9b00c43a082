import type { Registry } from "prom-client";
import type { Database } from "../../shared/db/orm.ts";
import type { Config } from "../../shared/process/config.ts";
import type { Log } from "../../shared/process/observe/log.ts";
import type { Tracing } from "../../shared/process/observe/tracing.ts";
import type { RedisConnection } from "../../shared/queue/connections.ts";
import type { HangWatch } from "./hang-watch.ts";
import type { JobMetrics } from "./job-worker.ts";

/** What the parts of one worker process share. */
export type WorkerContext = Readonly<{
  config: Config;
  log: Log;
  /** How far tests move from the present of PostgreSQL's clock, as an interval; always zero in service. */
  travel(): string;
  database: Database;
  /** Adds jobs and publishes replies. It fails at once when Redis is away. */
  publisher: RedisConnection;
  /** Takes jobs. It waits for Redis. */
  blocking: RedisConnection;
  /** What /metrics of this process shows. */
  registry: Registry;
  jobMetrics: JobMetrics;
  /** Undefined where nothing is traced. */
  tracing: Tracing | undefined;
  /** By which an orchestrator learns that a part of this process hangs. */
  watch: HangWatch;
}>;
