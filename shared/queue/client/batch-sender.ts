import type { Config } from "../../process/config.ts";
import {
  batchVersion,
  type CommandBatch,
  patienceMs,
  type QueuedCommand,
  type Reply,
  readMessage,
} from "../batch.ts";
import { connectFailFast, firstTry, replyChannel } from "../connections.ts";
import { commandQueue, openQueue } from "../queues.ts";
import { subscribe } from "./subscription.ts";
import { createWaiters } from "./waiters.ts";

/** Sends batches of commands to the workers and receives their replies. */
export type BatchSender = Readonly<{
  /**
   * Sends one batch.
   * @returns whether a worker answered it in time
   */
  send(commands: readonly QueuedCommand[]): Promise<boolean>;
  /** False while sending is useless: no worker answers, or its answer could not be received. */
  isOpen(): boolean;
  close(): Promise<void>;
}>;

type BatchSenderEvents = Readonly<{
  onReply(reply: Reply): void;
  onLost(commands: readonly QueuedCommand[], how: Lost): void;
  /** No worker has answered for as long as anybody waits. */
  onAway(): void;
}>;

/** `undelivered`: Redis or a worker refused the batch. `unanswered`: a worker may have run it, or may yet. */
type Lost = "undelivered" | "unanswered";

const probeMs = 1_000;
const pauseMs = 200;

/** Connects to Redis. When Redis does not answer soon, this returns and connecting goes on in the background. */
export async function openBatchSender(
  { redisUrl, queuePrefix }: Pick<Config, "redisUrl" | "queuePrefix">,
  { onReply, onLost, onAway }: BatchSenderEvents,
): Promise<BatchSender> {
  const replyTo = replyChannel(queuePrefix, crypto.randomUUID());
  const producer = connectFailFast(redisUrl);
  const queue = openQueue<CommandBatch>(commandQueue, { connection: producer, queuePrefix });
  const waiters = createWaiters<string, "answered" | Lost>();
  let lastHeard = 0;
  let away = false;
  let closed = false;

  function receive(text: string): void {
    const message = readMessage(text);
    if (!message) return;
    lastHeard = performance.now();
    if ("refusedBatch" in message) {
      waiters.settle(message.refusedBatch, "undelivered");
      return;
    }
    away = false;
    for (const reply of message.replies) onReply(reply);
    waiters.settle(message.batchId, "answered");
  }

  async function sendWithin(commands: readonly QueuedCommand[], waitMs: number): Promise<boolean> {
    const batch: CommandBatch = { v: batchVersion, id: Bun.randomUUIDv7(), replyTo, commands };
    const left = performance.now();
    const outcome = waiters.wait(batch.id, waitMs, () => {
      // Taken back, since otherwise batches would pile up in Redis while no worker runs.
      queue.remove(batch.id).catch(() => {});
      if (lastHeard < left) startProbing();
      return "unanswered";
    });
    queue.add("batch", batch, { jobId: batch.id }).catch((error: unknown) => {
      waiters.settle(batch.id, wasNeverSent(error) ? "undelivered" : "unanswered");
    });
    const answer = await outcome;
    if (answer !== "answered") onLost(commands, answer);
    return answer === "answered";
  }

  function startProbing(): void {
    if (away || closed) return;
    away = true;
    onAway();
    void probe();
  }

  /** Sends one empty batch after another until a worker answers. */
  async function probe(): Promise<void> {
    while (away && !closed) if (!(await sendWithin([], probeMs))) await Bun.sleep(pauseMs);
  }

  // A connection that is not ready yet refuses everything, so the first command must not meet it in that state.
  const connected = Promise.race([firstTry(producer), Bun.sleep(patienceMs)]);
  const subscription = await subscribe(redisUrl, replyTo, {
    onMessage: receive,
    // The workers may have answered while this subscription was down.
    onListening: () => void (away && sendWithin([], probeMs)),
  });
  await connected;
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

/** Redis refused the job, or the connection was known to be down: nothing was queued. */
function wasNeverSent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === "ReplyError" || error.message.includes("enableOfflineQueue");
}
