import { type Job, Queue, Worker } from "bullmq";
import type { HangWatch } from "../process/observe/hang-watch.ts";
import type { Log } from "../process/observe/log.ts";
import type { RedisConnection } from "./connections.ts";
import type { JobMetrics } from "./job-metrics.ts";

/** The settings of a queue, the same in every process that adds to it or works on it. */
type QueueDefinition = Readonly<{
  name: string;
  /** How many failed jobs stay for the operator to look at. Finished ones never stay. */
  keepFailed: number;
  /** How long a job of a worker that died stays locked before another worker gets it. */
  lockMs: number;
}>;

/** A caller waits for every command, so a killed worker's batch cannot wait for BullMQ's usual 30 s. */
export const commandQueue: QueueDefinition = { name: "commands", keepFailed: 100, lockMs: 3_000 };
export const deliveryQueue: QueueDefinition = { name: "deliveries", keepFailed: 0, lockMs: 5_000 };

/** The Redis connection of a queue, and QUEUE_PREFIX. */
type Place = Readonly<{ connection: RedisConnection; queuePrefix: string }>;

/** How long an idle worker asks for jobs at a time. */
const pollSeconds = 1;
/** How soon a worker asks again when asking has failed, as it does while a Redis Cluster elects a new master. */
const askAgainMs = 300;
/** A job is run again whenever its worker died; commands and deliveries know by themselves when it is too late. */
const maxStalledCount = 100;

/** Opens a queue for adding jobs. It does not wait for Redis: an add fails while Redis is away. */
export function openQueue<Data>({ name, keepFailed }: QueueDefinition, place: Place): Queue<Data> {
  const queue = new Queue<Data>(name, {
    ...connectionOptions(place),
    skipWaitingForReady: true,
    defaultJobOptions: { removeOnComplete: true, removeOnFail: keepFailed || true },
  });
  // Failures show in the add that fails; an `error` event without a listener would end the process.
  queue.on("error", () => {});
  return queue;
}

type Work<Data> = Place &
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
  // While Redis is away, the loop has to wait for it.
  const comeRound = watch.loop(`${name} queue`, () => connection.status !== "ready");
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
  worker.on("error", (error) => log.warn({ queue: name, reason: error.message }, "queue unavailable"));
  worker.on("failed", (_job, error) => log.warn({ queue: name, reason: error.message }, "job failed"));
  return worker;
}

/** BullMQ has no event for a queue that was asked in vain, by which is seen that the loop goes on. */
class PollingWorker<Data> extends Worker<Data> {
  onPoll = () => {};
  protected override getBlockTimeout(blockUntil: number): number {
    this.onPoll();
    return super.getBlockTimeout(blockUntil);
  }
}

/** The braces keep all keys of one queue in one slot of a Redis Cluster. */
const connectionOptions = ({ connection, queuePrefix }: Place) => ({
  connection,
  prefix: `{${queuePrefix}}`,
  skipVersionCheck: true,
});
