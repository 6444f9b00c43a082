import type { Config } from "../../shared/process/config.ts";
import {
  batchVersion,
  type CommandBatch,
  patienceMs,
  type QueuedCommand,
  type Reply,
  readMessage,
  type Signer,
} from "../../shared/queue/batch.ts";
import { connectFailFast, firstTry, replyChannel, subscribe } from "../../shared/queue/connections.ts";
import { commandQueue, openQueue } from "../../shared/queue/queues.ts";
import { hasSign } from "../../shared/queue/signs-of-life.ts";

export type BatchSender = Readonly<{
  send(commands: readonly QueuedCommand[]): Promise<unknown>;
  /** False while sending is useless: no worker runs, or its answer could not be received. */
  isOpen(): boolean;
  /** True if a worker answers, or has answered before and is only too busy. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}>;

export type BatchSenderEvents = Readonly<{
  onReply(reply: Reply): void;
  onLost(commands: readonly QueuedCommand[], how: Lost): void;
  /** Every caller has waited as long as it may, and no worker has answered or is alive. */
  onAway(): void;
}>;

/** `undelivered`: Redis or a worker refused the batch. `unanswered`: a worker may have run it, or may yet. */
type Lost = "undelivered" | "unanswered";

/** Pause between two questions whether a worker is back. */
const probePauseMs = 200;

/** Connects to Redis. If Redis is slow, this returns and connecting continues in the background. */
export async function openBatchSender(
  { redisUrl, queuePrefix, signer }: Pick<Config, "redisUrl" | "queuePrefix"> & Readonly<{ signer: Signer }>,
  { onReply, onLost, onAway }: BatchSenderEvents,
): Promise<BatchSender> {
  const replyTo = replyChannel(queuePrefix, crypto.randomUUID());
  const producer = connectFailFast(redisUrl);
  const queue = openQueue<object>(commandQueue, { connection: producer, queuePrefix });
  const answers = createWaiters<string, "answered" | Lost>(patienceMs);
  const isAlive = () => hasSign(producer, queuePrefix);
  let heardAt = 0;
  let [isAway, isClosed] = [false, false];

  function receive(text: string): void {
    const message = readMessage(text, signer);
    if (!message) return;
    heardAt = performance.now();
    if ("refusedBatch" in message) {
      // A worker is alive, but perhaps none that serves this door.
      answers.settle(message.refusedBatch, "undelivered");
    } else {
      isAway = false;
      for (const reply of message.replies) onReply(reply);
      answers.settle(message.batchId, "answered");
    }
  }

  async function send(commands: readonly QueuedCommand[]): Promise<"answered" | Lost> {
    const batch: CommandBatch = { v: batchVersion, id: Bun.randomUUIDv7(), replyTo, commands };
    const sentAt = performance.now();
    const outcome = answers.wait(batch.id, () => {
      // The batch is removed, because batches would pile up in Redis while no worker runs.
      queue.remove(batch.id).catch(() => {});
      void lookForWorkers(sentAt);
      return "unanswered";
    });
    queue
      .add("batch", signer.sign(batch), { jobId: batch.id })
      .catch((error: unknown) => answers.settle(batch.id, lossOf(error)));
    const answer = await outcome;
    if (answer !== "answered") onLost(commands, answer);
    return answer;
  }

  /** Counts the workers as away if none has answered since then and none is alive. Then it asks until one answers. */
  async function lookForWorkers(sentAt: number): Promise<void> {
    const isSilent = () => heardAt < sentAt && !isAway && !isClosed;
    if (!isSilent() || (await isAlive()) || !isSilent()) return;
    isAway = true;
    onAway();
    while (isAway && !isClosed) if ((await send([])) !== "answered") await Bun.sleep(probePauseMs);
  }

  // A connection that is not ready refuses everything, so the mailbox opens only with a ready one.
  const connected = Promise.race([firstTry(producer), Bun.sleep(patienceMs)]);
  const subscription = await subscribe(redisUrl, replyTo, {
    onMessage: receive,
    // The workers may have answered while the subscription was down.
    onListening: () => isAway && void send([]),
  });
  await connected;
  const isOpen = () => !isAway && subscription.isListening();
  return {
    send,
    isOpen,
    ping: async () => isOpen() && isServed(await send([]), heardAt > 0, isAlive),
    async close() {
      isClosed = true;
      subscription.close();
      await queue.close().catch(() => {});
      producer.disconnect();
    },
  };
}

/** A worker that is too busy counts if one was heard before. A batch that Redis or a worker refuses never counts. */
const isServed = (answer: "answered" | Lost, wasHeard: boolean, isAlive: () => Promise<boolean>) =>
  answer === "answered" || (answer === "unanswered" && wasHeard && isAlive());

/** Redis refused the job, or its connection was known to be down, so nothing was queued. */
function lossOf(error: unknown): Lost {
  if (!(error instanceof Error)) return "unanswered";
  const wasNeverSent = error.name === "ReplyError" || error.message.includes("enableOfflineQueue");
  return wasNeverSent ? "undelivered" : "unanswered";
}

/** An answer that is awaited for a bounded time. */
type Waiter<Answer> = Readonly<{ until: number; late(): Answer; resolve(answer: Answer): void }>;

/**
 * One timer serves all, because they end in the order in which they began. It ends all that are due before any of their
 * callers goes on, so that no command leaves only to be late.
 */
export function createWaiters<Key, Answer>(timeoutMs: number) {
  const waiting = new Map<Key, Waiter<Answer>>();
  let isTimed = false;

  /**
   * An answer that comes after the time is late, also if a frozen process reads it before its timers run: it may tell
   * what another worker saw while the first one committed.
   */
  function settle(key: Key, answer?: Answer): void {
    const waiter = waiting.get(key);
    if (!waiter) return;
    waiting.delete(key);
    const isLate = answer === undefined || waiter.until <= performance.now();
    waiter.resolve(isLate ? waiter.late() : answer);
  }

  function expire(): void {
    isTimed = false;
    for (const [key, { until }] of waiting) {
      if (until > performance.now()) {
        expireAt(until);
        return;
      }
      settle(key);
    }
  }

  function expireAt(until: number): void {
    isTimed = true;
    setTimeout(expire, Math.max(0, until - performance.now())).unref();
  }

  return {
    /** @param late makes the answer if none came in time */
    wait: (key: Key, late: () => Answer): Promise<Answer> =>
      new Promise((resolve) => {
        const until = performance.now() + timeoutMs;
        waiting.set(key, { until, late, resolve });
        if (!isTimed) expireAt(until);
      }),
    settle,
  };
}
