import type { Queue } from "bullmq";
import { type TakenDeliveries, takeDueReminders, takeOverdueDeliveries } from "./due.ts";
import { type DeliveryKeys, queueDeliveries } from "./jobs.ts";
import type { ReminderStore } from "./store.ts";

type TickContext = Readonly<{
  database: ReminderStore["database"];
  queue: Queue<DeliveryKeys>;
  travel(): string;
  /** True if PostgreSQL's clock has just jumped, so that leases which seem to have ended may be in use. */
  hasJumped(): Promise<boolean>;
}>;

const batch = 2_000;
/** Redis holds at most about this many jobs; PostgreSQL keeps the rest until there is room. */
const maxQueuedJobs = 200;

/**
 * Queues everything that is due. Ticks may run at the same time. A tick that dies half-way loses nothing, because a
 * later one takes up its rows.
 */
export async function runTick(context: TickContext): Promise<void> {
  const { database, travel, hasJumped } = context;
  const store = () => ({ database, travel: travel() });
  if (!(await hasJumped()))
    await fillQueue(context, (jobs) => takeOverdueDeliveries(store(), batch, jobs === 0));
  await fillQueue(context, () => takeDueReminders(store(), batch));
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
