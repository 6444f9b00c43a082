import { Queue } from "bullmq";
import type { Redis } from "ioredis";
import type { Config } from "../../process/config.ts";
import { type CommandBatch, patienceMs, type QueuedCommand, type Replies, type Reply } from "../batch.ts";
import { commandQueue, connectFailFast, firstTry, keyPrefix, replyChannel } from "../connections.ts";
import { subscribe } from "./subscription.ts";
import { createWaiters } from "./waiters.ts";

/** Brings batches to the workers. */
export type BatchSender = Readonly<{
  /**
   * Sends one batch.
   * @returns whether a worker answered it in time
   */
  send(commands: readonly QueuedCommand[]): Promise<boolean>;
  /** False while nothing would come of a batch: no worker answers, or its answer would not be heard. */
  isOpen(): boolean;
  close(): Promise<void>;
}>;

type BatchSenderEvents = Readonly<{
  onReply(reply: Reply): void;
  /** Redis did not take the commands (`undelivered`), or nobody knows whether it did. */
  onLost(commands: readonly QueuedCommand[], delivery: "undelivered" | "unanswered"): void;
  /** No worker has answered for as long as anybody waits. */
  onAway(): void;
}>;

const probeMs = 1_000;
const pauseMs = 200;

/** Connects to Redis; when that takes long, it goes on by itself. */
export async function openBatchSender(
  { redisUrl, queuePrefix }: Pick<Config, "redisUrl" | "queuePrefix">,
  { onReply, onLost, onAway }: BatchSenderEvents,
): Promise<BatchSender> {
  const replyTo = replyChannel(queuePrefix, crypto.randomUUID());
  const producer = connectFailFast(redisUrl);
  const queue = openQueue(producer, queuePrefix);
  const waiters = createWaiters<string, boolean>();
  let lastHeard = 0;
  let away = false;
  let closed = false;

  // A producer that is still connecting refuses everything: the first command is not to meet that.
  const connected = Promise.race([firstTry(producer), Bun.sleep(patienceMs)]);
  const subscription = await subscribe(redisUrl, replyTo, {
    onMessage(text) {
      const { batchId, replies } = JSON.parse(text) as Replies;
      lastHeard = performance.now();
      away = false;
      for (const reply of replies) onReply(reply);
      waiters.settle(batchId, true);
    },
    // It may have been us who did not hear.
    onListening: () => void (away && sendWithin([], probeMs)),
  });
  await connected;

  /** A batch that nobody answered is taken back, else they would pile up in Redis while no worker runs. */
  async function sendWithin(commands: readonly QueuedCommand[], waitMs: number): Promise<boolean> {
    const id = Bun.randomUUIDv7();
    const left = performance.now();
    const answered = waiters.wait(id, waitMs, () => {
      queue.remove(id).catch(() => {});
      if (lastHeard < left) notice();
      return false;
    });
    queue.add("batch", { id, replyTo, commands }, { jobId: id }).catch((error: unknown) => {
      onLost(commands, wasNeverSent(error) ? "undelivered" : "unanswered");
      waiters.settle(id, false);
    });
    return answered;
  }

  function notice(): void {
    if (away || closed) return;
    away = true;
    onAway();
    void probe();
  }

  /** One empty batch at a time, until a worker answers. */
  async function probe(): Promise<void> {
    while (away && !closed) if (!(await sendWithin([], probeMs))) await Bun.sleep(pauseMs);
  }

  return {
    send: (commands) => sendWithin(commands, patienceMs),
    isOpen: () => !away && subscription.isListening(),
    async close() {
      closed = true;
      subscription.close();
      await queue.close().catch(() => {});
      producer.disconnect();
    },
  };
}

function openQueue(connection: Redis, queuePrefix: string): Queue<CommandBatch> {
  const queue = new Queue<CommandBatch>(commandQueue, {
    connection,
    prefix: keyPrefix(queuePrefix),
    skipWaitingForReady: true,
    skipVersionCheck: true,
    defaultJobOptions: { removeOnComplete: true, removeOnFail: 100 },
  });
  // Failures show in the add that fails; an unheard `error` event would end the process.
  queue.on("error", () => {});
  return queue;
}

/** Redis refused the command, or the connection was known to be down: nothing was queued. */
function wasNeverSent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === "ReplyError" || error.message.includes("enableOfflineQueue");
}
