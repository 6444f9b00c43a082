import type { Queue } from "bullmq";
import type { Log } from "../../shared/process/observe/log.ts";
import {
  type TakenDeliveries,
  takeDueDigests,
  takeDueHabits,
  takeDueReminders,
  takeOverdueDeliveries,
} from "./due.ts";
import type { DeliveryKeys, ReminderStore } from "./store.ts";

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

const deliveriesPerJob = 100;

/** Queues many deliveries in a job, since a BullMQ job costs more than the SQL of a delivery. */
async function queueDeliveries(queue: Queue<DeliveryKeys>, { users, ids }: DeliveryKeys): Promise<void> {
  const jobs = [];
  for (let from = 0; from < ids.length; from += deliveriesPerJob) {
    const to = from + deliveriesPerJob;
    jobs.push({ name: "deliver", data: { users: users.slice(from, to), ids: ids.slice(from, to) } });
  }
  if (jobs.length > 0) await queue.addBulk(jobs);
}
