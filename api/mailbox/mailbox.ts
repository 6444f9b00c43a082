import type { Pool } from "pg";
import type { Config } from "../../shared/process/config.ts";
import { patienceMs, type QueuedCommand, type Reply } from "../../shared/queue/batch.ts";
import { openSigner } from "../../shared/queue/signature.ts";
import { type BatchSender, type BatchSenderEvents, openBatchSender } from "./batch-sender.ts";
import { createPendingCommands, maxBatch } from "./pending.ts";
import { createSendLoop } from "./send-loop.ts";
import { createWaiters } from "./waiters.ts";

/** `undelivered`: no worker will run it. `unanswered`: a worker may have run it, or may yet. */
type SendResult = Omit<Reply, "ticket"> | "undelivered" | "unanswered";

export type Mailbox = Readonly<{
  send(command: Omit<QueuedCommand, "ticket">): Promise<SendResult>;
  /** True if a worker answers, or has answered before and is only too busy. */
  ping(): Promise<boolean>;
  /** The commands that wait here for the next batch. */
  waiting(): number;
  close(): Promise<void>;
}>;

/** The most waiting commands, in all and of one user: only four users who flood at once can fill the mailbox. */
const maxWaiting = 2_000;
const maxWaitingOfUser = 500;
/**
 * A command that would wait longer is refused at once. This is half of a caller's wait, so accepted commands are
 * answered in time although the estimate is rough.
 */
const maxWaitMs = patienceMs / 2;

/** Hears of a command without a reply. */
type SayLost = (command: Omit<QueuedCommand, "ticket">, result: "undelivered" | "unanswered") => void;

type MailboxConfig = Pick<Config, "redisUrl" | "queuePrefix">;

export async function openMailbox(
  config: MailboxConfig,
  pool: Pick<Pool, "query">,
  sayLost?: SayLost,
): Promise<Mailbox> {
  const signer = await openSigner(pool);
  return createMailbox((events) => openBatchSender({ ...config, signer }, events), sayLost);
}

/** Keeps commands until they leave, and their callers waiting until they are answered. */
export async function createMailbox(
  openSender: (events: BatchSenderEvents) => Promise<BatchSender>,
  sayLost?: SayLost,
): Promise<Mailbox> {
  const callers = createWaiters<number, SendResult>(patienceMs);
  const pending = createPendingCommands();
  // No other front door has these numbers, so nobody can send it a worker's reply to this one.
  let lastTicket = Math.floor(Math.random() * 2 ** 52);

  const settleAll = (commands: readonly QueuedCommand[], result: SendResult) => {
    for (const { ticket } of commands) callers.settle(ticket, result);
  };
  const sender = await openSender({
    onReply(reply) {
      callers.settle(reply.ticket, reply);
    },
    onLost: settleAll,
    onAway: () => settleAll(pending.withdrawAll(), "undelivered"),
  });
  const loop = createSendLoop({ pending, send: sender.send });

  function isFullFor(userId: string): boolean {
    if (pending.size() >= maxWaiting || pending.sizeOf(userId) >= maxWaitingOfUser) return true;
    const batchesAhead = Math.floor(pending.ahead(userId) / maxBatch);
    return batchesAhead > 0 && loop.answerInMs(batchesAhead) > maxWaitMs;
  }

  async function sendAndWait(command: Omit<QueuedCommand, "ticket">): Promise<SendResult> {
    if (!sender.isOpen() || isFullFor(command.userId)) return "undelivered";
    const queued = { ...command, ticket: ++lastTicket };
    const late = () => (pending.withdraw(queued) ? "undelivered" : "unanswered");
    const answer = callers.wait(queued.ticket, late);
    pending.put(queued);
    loop.added();
    const result = await answer;
    if (pending.ended(queued)) loop.start();
    return result;
  }

  return {
    async send(command) {
      const result = await sendAndWait(command);
      if (typeof result === "string") sayLost?.(command, result);
      return result;
    },
    ping: sender.ping,
    waiting: pending.size,
    close: () => sender.close(),
  };
}
