import { type Job, Worker } from "bullmq";
import { Counter, Histogram, type Registry } from "prom-client";
import { type Log, throttled } from "../../shared/process/observe/log.ts";
import { connectionOptions, type QueueConnection, type QueueDefinition } from "../../shared/queue/queues.ts";

export type JobMetrics = ReturnType<typeof createJobMetrics>;
type StartedJob = Pick<Job, "timestamp" | "attemptsStarted">;

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export function createJobMetrics(registry: Registry) {
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
    /** Runs a job, and counts how long it waited and how long it ran. */
    measure<Result>(queue: string, { timestamp, attemptsStarted }: StartedJob, run: () => Promise<Result>) {
      // The clock of the host that added the job may be ahead of this one.
      waits.observe({ queue }, Math.max(0, Date.now() - timestamp) / 1000);
      if (attemptsStarted > 1) redelivered.inc({ queue });
      const end = runs.startTimer({ queue });
      const ran = Promise.try(run);
      ran.then(
        () => end({ result: "done" }),
        () => end({ result: "failed" }),
      );
      return ran;
    },
  };
}

/** The time for which an idle worker waits for a job. */
const pollSeconds = 1;
/** The pause after a failed question, for example while a Redis Cluster elects a new master. */
const askAgainMs = 300;
/** A job runs again whenever its worker died; commands and deliveries know themselves when it is too late. */
const maxStalledCount = 100;

type Work<Data> = QueueConnection &
  Readonly<{
    concurrency: number;
    log: Log;
    metrics: JobMetrics;
    watch: HangWatch;
    process(job: Pick<Job<Data>, "data" | "attemptsStarted">): Promise<unknown>;
  }>;

/** Takes jobs off a queue until it is closed, and counts and times each of them. */
export function openWorker<Data>(definition: QueueDefinition, work: Work<Data>): Worker<Data> {
  const { name, lockMs } = definition;
  const { log, metrics, watch, concurrency, connection } = work;
  // While Redis is away, the loop must wait for it.
  const isAway = () => connection.status !== "ready";
  const comeRound = watch.loop(`${name} queue`, isAway);
  const run = (job: Job<Data>) => {
    comeRound();
    return watch.during(name, () => metrics.measure(name, job, () => work.process(job))).finally(comeRound);
  };
  const worker = new PollingWorker<Data>(name, run, {
    ...connectionOptions(work),
    concurrency,
    drainDelay: pollSeconds,
    lockDuration: lockMs,
    stalledInterval: lockMs / 2,
    maxStalledCount,
    runRetryDelay: askAgainMs,
  });
  worker.onPoll = comeRound;
  worker.isAway = isAway;
  const sayAway = throttled((reason: string) => log.warn({ queue: name, reason }, "queue unavailable"));
  worker.on("error", ({ message }) => sayAway(message));
  worker.on("failed", (_job, error) => log.warn({ queue: name, reason: error.message }, "job failed"));
  return worker;
}

/** BullMQ has no event for a question without a job, so this wraps the question to see that the loop goes on. */
class PollingWorker<Data> extends Worker<Data> {
  onPoll = () => {};
  isAway = () => false;
  /** The loop never ends while Redis is away. Its jobs run again later, or find that they ran. */
  override close(force = this.isAway()): Promise<void> {
    return super.close(force);
  }
  protected override getBlockTimeout(blockUntil: number): number {
    this.onPoll();
    return super.getBlockTimeout(blockUntil);
  }
}

export type HangWatch = ReturnType<typeof createHangWatch>;
type Watched = { name: string; dueAt: number; isExcused?(): boolean };

/** Far more than any job or statement may take, because a restart costs more than a late notice. */
const patienceMs = 60_000;

/**
 * Notices overdue work, so that an orchestrator restarts a process that hangs.
 * @param now the time in milliseconds, for tests that travel in time
 */
export function createHangWatch(now = () => performance.now()) {
  const watched = new Set<Watched>();
  return {
    /** Runs work, which hangs if it takes longer than `withinMs`. */
    during<Result>(name: string, work: () => Promise<Result>, withinMs = patienceMs): Promise<Result> {
      const entry = { name, dueAt: now() + withinMs };
      watched.add(entry);
      return Promise.try(work).finally(() => watched.delete(entry));
    },
    /**
     * Watches a loop, which hangs if it does not come round.
     * @param isExcused true during a wait that a restart would not end
     * @returns a function to call each time it comes round
     */
    loop(name: string, isExcused: () => boolean): () => void {
      const entry = { name, dueAt: now() + patienceMs, isExcused };
      watched.add(entry);
      return () => {
        entry.dueAt = now() + patienceMs;
      };
    },
    hanging(): string[] {
      for (const entry of watched) if (entry.isExcused?.()) entry.dueAt = now() + patienceMs;
      const late = [...watched].filter(({ dueAt }) => dueAt < now());
      return [...new Set(late.map(({ name }) => name))];
    },
  };
}
