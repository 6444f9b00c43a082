import type { Registry } from "prom-client";
import type { Database } from "../../shared/db/orm.ts";
import type { Config } from "../../shared/process/config.ts";
import type { Log } from "../../shared/process/observe/log.ts";
import type { SecurityLog } from "../../shared/process/observe/security-log.ts";
import type { Tracing } from "../../shared/process/observe/tracing.ts";
import type { RedisConnection } from "../../shared/queue/connections.ts";
import type { HangWatch, JobMetrics } from "./job-worker.ts";

export type WorkerContext = Readonly<{
  config: Config;
  log: Log;
  security: SecurityLog;
  /** The shift by which tests travel from PostgreSQL's present, as an interval; zero in service. */
  travel(): string;
  database: Database;
  /** Adds jobs and publishes replies. It fails at once when Redis is away. */
  publisher: RedisConnection;
  /** Takes jobs. It waits for Redis. */
  blocking: RedisConnection;
  registry: Registry;
  jobMetrics: JobMetrics;
  /** Undefined without tracing. */
  tracing: Tracing | undefined;
  /** Reports a hanging part of this process to an orchestrator. */
  watch: HangWatch;
}>;

type Task = Readonly<{
  name: string;
  everyMs: number;
  /** Milliseconds after which a run counts as hanging. */
  withinMs?: number;
  run(): Promise<unknown>;
}>;

/**
 * Runs a task every `everyMs` in this process, never twice at once; locks in PostgreSQL separate processes. The timer
 * counts elapsed time, so it needs neither Redis nor a correct clock.
 */
export function startSchedule(
  { log, watch }: Pick<WorkerContext, "log" | "watch">,
  { name, everyMs, withinMs, run }: Task,
): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  let failing = false;
  const turn = async () => {
    try {
      await watch.during(name, run, withinMs);
      failing = false;
    } catch (error) {
      // The failure is logged once, because every run fails during an outage.
      if (!failing) log.warn({ schedule: name, reason: String(error) }, "run failed");
      failing = true;
    }
    running = undefined;
  };
  const timer = setInterval(() => {
    running ??= turn();
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
