import type { Config } from "../../process/config.ts";
import { patienceMs, type QueuedCommand, type Reply } from "../batch.ts";
import { type Lanes, laneOf, lanePrefixes } from "../lanes.ts";
import { openBatchSender } from "./batch-sender.ts";
import { createPendingCommands, maxBatch } from "./pending.ts";
import { createSendLoop } from "./send-loop.ts";
import { createWaitEstimate } from "./wait-estimate.ts";
import { createWaiters } from "./waiters.ts";

/** `undelivered`: no worker will run it. `unanswered`: a worker may have run it, or may yet. */
type SendResult = Reply | "undelivered" | "unanswered";

export type Mailbox = Readonly<{
  send(command: Omit<QueuedCommand, "ticket">): Promise<SendResult>;
  /** Whether a worker answers, or is alive and only too busy to. */
  ping(): Promise<boolean>;
  /** How many commands wait here for the next batch. */
  waiting(): number;
  close(): Promise<void>;
}>;

/** How many commands may wait in all, and of one user: only four users who flood at once can fill the mailbox. */
const maxWaiting = 2_000;
const maxWaitingOfUser = 500;
/**
 * A command that would wait longer is refused at once. This is half of what its caller waits, so that every accepted
 * command is answered in time although the estimate is rough.
 */
const maxWaitMs = patienceMs / 2;

type MailboxConfig = Pick<Config, "redisUrl" | "queuePrefix" | "queueLanes" | "batchesInFlight">;

/** Opens a mailbox that brings the commands of each user to the lane of that user. */
export async function openMailbox(
  config: MailboxConfig,
  watchReply: (reply: Reply) => void = () => {},
): Promise<Mailbox> {
  const open = (queuePrefix: string) => openLane({ ...config, queuePrefix }, watchReply);
  const [first, ...others] = lanePrefixes(config.queuePrefix, config.queueLanes);
  const lanes: Lanes<Mailbox> = [await open(first), ...(await Promise.all(others.map(open)))];
  return {
    send: (command) => laneOf(lanes, command.userId).send(command),
    ping: async () => (await Promise.all(lanes.map((lane) => lane.ping()))).every(Boolean),
    waiting: () => lanes.reduce((sum, lane) => sum + lane.waiting(), 0),
    close: async () => {
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
}

/**
 * Brings commands to the workers. A batch leaves at once with whatever has gathered, and commands gather while
 * `batchesInFlight` batches are unanswered. So a lone command travels alone, and under load many share one job, one
 * transaction and one fsync.
 */
async function openLane(
  config: Omit<MailboxConfig, "queueLanes">,
  watchReply: (reply: Reply) => void,
): Promise<Mailbox> {
  const waiters = createWaiters<number, SendResult>(patienceMs);
  const pending = createPendingCommands();
  const estimate = createWaitEstimate();
  let lastTicket = 0;

  const settleAll = (commands: readonly QueuedCommand[], result: SendResult) => {
    for (const { ticket } of commands) waiters.settle(ticket, result);
  };
  const sender = await openBatchSender(config, {
    onReply(reply) {
      watchReply(reply);
      waiters.settle(reply.ticket, reply);
    },
    onLost: settleAll,
    onAway: () => settleAll(pending.takeAll(), "undelivered"),
  });
  const { batchesInFlight } = config;
  const startSending = createSendLoop({ pending, estimate, batchesInFlight, send: sender.send });

  function isFullFor(userId: string): boolean {
    if (pending.size() >= maxWaiting || pending.sizeOf(userId) >= maxWaitingOfUser) return true;
    const batchesAhead = Math.floor(pending.ahead(userId) / maxBatch);
    return batchesAhead > 0 && estimate.answerIn(batchesAhead) > maxWaitMs;
  }

  return {
    async send(command) {
      if (!sender.isOpen() || isFullFor(command.userId)) return "undelivered";
      const queued = { ...command, ticket: ++lastTicket };
      pending.put(queued);
      const late = () => (pending.withdraw(queued) ? "undelivered" : "unanswered");
      const answer = waiters.wait(queued.ticket, late);
      startSending();
      const result = await answer;
      if (pending.ended(queued)) startSending();
      return result;
    },
    ping: sender.ping,
    waiting: pending.size,
    close: () => sender.close(),
  };
}
