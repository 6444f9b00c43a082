import type { Job } from "bullmq";
import { Counter, Histogram, type Registry } from "prom-client";

/** What a worker process counts about the jobs of all its queues. */
export type JobMetrics = Readonly<{
  /** Runs a job, and counts how long it waited and how long it ran. */
  measure<Result>(
    queue: string,
    job: Pick<Job, "timestamp" | "attemptsStarted">,
    run: () => Promise<Result>,
  ): Promise<Result>;
}>;

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export function createJobMetrics(registry: Registry): JobMetrics {
  const registers = [registry];
  const waits = new Histogram({
    name: "kept_job_wait_seconds",
    help: "Time from the adding of a job to its start, by the clocks of two hosts",
    labelNames: ["queue"],
    buckets,
    registers,
  });
  const runs = new Histogram({
    name: "kept_job_run_seconds",
    help: "Time from the start of a job to its end",
    labelNames: ["queue", "result"],
    buckets,
    registers,
  });
  const redelivered = new Counter({
    name: "kept_jobs_redelivered_total",
    help: "Jobs that were started although another worker had started them before",
    labelNames: ["queue"],
    registers,
  });
  return {
    async measure(queue, { timestamp, attemptsStarted }, run) {
      // The clock of the host that added the job may be ahead of ours.
      waits.observe({ queue }, Math.max(0, Date.now() - timestamp) / 1000);
      if (attemptsStarted > 1) redelivered.inc({ queue });
      const started = performance.now();
      const end = (result: string) => runs.observe({ queue, result }, (performance.now() - started) / 1000);
      try {
        const answer = await run();
        end("done");
        return answer;
      } catch (error) {
        end("failed");
        throw error;
      }
    },
  };
}
