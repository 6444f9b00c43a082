import type { Queue } from "bullmq";
import type { Log } from "../../shared/process/observe/log.ts";
import { type TakenDeliveries, takeDueReminders, takeOverdueDeliveries } from "./due/due.ts";
import { takeDueDigests } from "./due/due-digests.ts";
import { takeDueHabits } from "./due/due-habits.ts";
import { type DeliveryKeys, queueDeliveries } from "./jobs.ts";
import type { ReminderStore } from "./store.ts";

type TickContext = Readonly<{
  database: ReminderStore["database"];
  queue: Queue<DeliveryKeys>;
  travel(): string;
  defaultTimeZone: string;
  log: Log;
  /** True if PostgreSQL's clock has just jumped, so leases that seem to have ended may be in use. */
  hasJumped(): Promise<boolean>;
}>;

const maxClaimed = 2_000;
/** Planning the next ring of a habit takes a tenth of a millisecond, while its row is locked; likewise a digest. */
const plannedAtOnce = 500;
/** Redis holds at most about this many jobs; PostgreSQL keeps the rest until there is room. */
const maxQueuedJobs = 200;

/**
 * Queues everything that is due. Ticks may run at the same time. A tick that dies half-way loses nothing, because a
 * later one takes up its rows.
 */
export async function runTick(context: TickContext): Promise<void> {
  const { database, travel, defaultTimeZone, log, hasJumped } = context;
  const store = () => ({ database, travel: travel() });
  if (!(await hasJumped()))
    await fillQueue(context, maxClaimed, (jobs) => takeOverdueDeliveries(store(), maxClaimed, jobs === 0));
  await fillQueue(context, maxClaimed, () => takeDueReminders(store(), maxClaimed));
  for (const takeDue of [takeDueHabits, takeDueDigests])
    await fillQueue(context, plannedAtOnce, () =>
      takeDue({ ...store(), defaultTimeZone, log }, plannedAtOnce),
    );
}

async function fillQueue(
  { queue }: TickContext,
  limit: number,
  take: (jobs: number) => Promise<TakenDeliveries>,
): Promise<void> {
  for (;;) {
    const jobs = await countJobs(queue);
    if (jobs >= maxQueuedJobs) return;
    const taken = await take(jobs);
    await queueDeliveries(queue, taken);
    if (taken.taken < limit) return;
  }
}

const countJobs = (queue: Queue<DeliveryKeys>): Promise<number> =>
  queue.getJobCountByTypes("waiting", "active");
