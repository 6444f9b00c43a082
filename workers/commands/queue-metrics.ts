import type { Queue } from "bullmq";
import { Gauge, type Registry } from "prom-client";

/** A scrape waits no longer than this for Redis, and leaves out unknown numbers. */
const patienceMs = 500;

const states = ["waiting", "active", "failed"] as const;

type Counts = Readonly<Record<string, number>>;

/** Shows at each scrape the number of jobs in Redis by queue. */
export function showQueues(
  registry: Registry,
  queues: readonly Pick<Queue, "name" | "getJobCounts">[],
): void {
  new Gauge({
    name: "kept_queue_jobs",
    help: "Jobs in the queue, the same at every worker; absent while Redis does not answer",
    labelNames: ["queue", "state"],
    registers: [registry],
    async collect() {
      const counted = await within(
        Promise.all(queues.map(async (queue) => [queue.name, await queue.getJobCounts(...states)] as const)),
      );
      this.reset();
      for (const [queue, counts] of counted)
        for (const state of states) this.set({ queue, state }, counts[state] ?? 0);
    },
  });
}

async function within(
  asked: Promise<readonly (readonly [string, Counts])[]>,
): Promise<readonly (readonly [string, Counts])[]> {
  return Promise.race([asked.catch(() => []), Bun.sleep(patienceMs).then(() => [])]);
}
