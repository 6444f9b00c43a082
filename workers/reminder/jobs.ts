import type { Queue } from "bullmq";

/** The keys of delivery rows, one array for each column. */
export type DeliveryKeys = Readonly<{ users: readonly string[]; ids: readonly string[] }>;

const deliveriesPerJob = 100;

/** Queues many deliveries in a job, since a BullMQ job costs more than the SQL of a delivery. */
export async function queueDeliveries(
  queue: Queue<DeliveryKeys>,
  { users, ids }: DeliveryKeys,
): Promise<void> {
  const jobs = [];
  for (let from = 0; from < ids.length; from += deliveriesPerJob) {
    const to = from + deliveriesPerJob;
    jobs.push({ name: "deliver", data: { users: users.slice(from, to), ids: ids.slice(from, to) } });
  }
  if (jobs.length > 0) await queue.addBulk(jobs);
}
