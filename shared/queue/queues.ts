import { Queue } from "bullmq";
import type { RedisConnection } from "./connections.ts";

/** The settings of a queue, the same in every process that adds to it or works on it. */
export type QueueDefinition = Readonly<{
  name: string;
  /** The number of failed jobs kept for the operator. Finished ones are never kept. */
  keepFailed: number;
  /** Milliseconds until a dead worker's job goes to another worker. */
  lockMs: number;
}>;

/** A caller waits for every command, so a killed worker's batch cannot wait for BullMQ's usual 30 s. */
export const commandQueue: QueueDefinition = { name: "commands", keepFailed: 100, lockMs: 3_000 };
export const deliveryQueue: QueueDefinition = { name: "deliveries", keepFailed: 0, lockMs: 5_000 };

export type QueueConnection = Readonly<{ connection: RedisConnection; queuePrefix: string }>;

/** Opens a queue for adding jobs. It does not wait for Redis: an add fails while Redis is away. */
export function openQueue<Data>(
  { name, keepFailed }: QueueDefinition,
  connection: QueueConnection,
): Queue<Data> {
  const queue = new Queue<Data>(name, {
    ...connectionOptions(connection),
    skipWaitingForReady: true,
    defaultJobOptions: { removeOnComplete: true, removeOnFail: keepFailed || true },
  });
  // Failures show in the add that fails; an `error` event without a listener would end the process.
  queue.on("error", () => {});
  return queue;
}

/** The braces keep all keys of one queue in one slot of a Redis Cluster. */
export const connectionOptions = ({ connection, queuePrefix }: QueueConnection) => ({
  connection,
  prefix: `{${queuePrefix}}`,
  skipVersionCheck: true,
});
