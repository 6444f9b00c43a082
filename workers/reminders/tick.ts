import type { Queue } from "bullmq";
import type { Pool } from "pg";
import { type TakenDeliveries, takeDueReminders, takeOverdueDeliveries } from "./due.ts";
import { type DeliveryKeys, queueDeliveries } from "./jobs.ts";

type TickContext = Readonly<{ pool: Pool; queue: Queue<DeliveryKeys>; travel(): string }>;

const batch = 2_000;
/** Redis holds at most about this many jobs; PostgreSQL keeps the rest until there is room. */
const maxQueuedJobs = 200;

/**
 * Queues everything that is due. Any number of ticks may run at the same time. A tick that dies half-way loses nothing,
 * since a later one takes its rows up.
 */
export async function runTick(context: TickContext): Promise<void> {
  const { pool, travel } = context;
  await fillQueue(context, (jobs) => takeOverdueDeliveries(pool, travel(), batch, jobs === 0));
  await fillQueue(context, () => takeDueReminders(pool, travel(), batch));
}

async function fillQueue(
  { queue }: TickContext,
  take: (jobs: number) => Promise<TakenDeliveries>,
): Promise<void> {
  for (;;) {
    const jobs = await countJobs(queue);
    if (jobs >= maxQueuedJobs) return;
    const taken = await take(jobs);
    await queueDeliveries(queue, taken);
    if (taken.taken < batch) return;
  }
}

const countJobs = (queue: Queue<DeliveryKeys>): Promise<number> =>
  queue.getJobCountByTypes("waiting", "active");
