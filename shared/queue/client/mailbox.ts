import type { Config } from "../../process/config.ts";
import { patienceMs, type QueuedCommand, type Reply } from "../batch.ts";
import { openBatchSender } from "./batch-sender.ts";
import { createPendingCommands, type LineKind } from "./pending.ts";
import { createWaitEstimate } from "./wait-estimate.ts";
import { createWaiters } from "./waiters.ts";

/** `undelivered`: no worker will see it. `unanswered`: a worker may have carried it out, or may yet. */
export type SendResult = Reply | "undelivered" | "unanswered";

export type Mailbox = Readonly<{
  send(command: Omit<QueuedCommand, "ticket">): Promise<SendResult>;
  /** Whether a worker answers. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}>;

const maxBatch = 100;
/** What may wait in all, and of one user: it takes four who flood at once to fill the box. */
const maxWaiting = 2_000;
const maxWaitingOfUser = 500;
/**
 * A command that would wait longer is refused at once. It is half of what its caller waits, so that whatever is
 * taken in is answered in time although the estimate is rough.
 */
const maxWaitMs = patienceMs / 2;
/** So long a batch waits for those who were just answered: else the first of them leaves alone and all others wait. */
const gatherMs = 2;
/** After so long an unanswered batch keeps the next from leaving no more: its worker may be frozen, or dead. */
const slowMs = 100;
/** Beside those of BATCHES_IN_FLIGHT: slow ones, and full ones while more than fill a batch wait. */
const maxSlow = 3;
const maxFull = 3;

/**
 * Carries commands to the workers. A batch leaves at once with whatever has gathered; commands gather
 * here while `batchesInFlight` batches are unanswered. So a lone command travels alone, and
 * under load many share one job, one transaction and one fsync.
 */
export async function openMailbox(
  config: Pick<Config, "redisUrl" | "queuePrefix" | "batchesInFlight">,
): Promise<Mailbox> {
  const { batchesInFlight } = config;
  const waiters = createWaiters<number, SendResult>();
  const pending = createPendingCommands();
  const waitEstimate = createWaitEstimate();
  let lastTicket = 0;
  const sending = { short: 0, long: 0 };
  let underWay = 0;

  const settle = (commands: readonly QueuedCommand[], delivery: SendResult) => {
    for (const { ticket } of commands) waiters.settle(ticket, delivery);
  };
  const sender = await openBatchSender(config, {
    onReply: (reply) => waiters.settle(reply.ticket, reply),
    onLost: settle,
    onAway: () => settle(pending.takeAll(), "undelivered"),
  });

  /** Sends one batch. Resolves at its answer, or when it is slow. */
  async function sendBatch(commands: readonly QueuedCommand[]): Promise<void> {
    const left = performance.now();
    const slow = Promise.withResolvers<void>();
    const timer = setTimeout(slow.resolve, slowMs);
    // Its users' next commands wait for it, so that the order of each user's commands is kept.
    const release = pending.holdBack(new Set(commands.map(({ userId }) => userId)));
    underWay += 1;
    const answered = sender.send(commands).then(() => {
      clearTimeout(timer);
      underWay -= 1;
      waitEstimate.batchAnswered(performance.now() - left);
      release();
      startSending();
    });
    await Promise.race([answered, slow.promise]);
  }

  /** In this order: a line that ceases to be long in between is not overlooked. */
  function startSending(): void {
    void sendBatches("long");
    void sendBatches("short");
  }

  /** Sends batches one after another until nothing is left; a loop, since under steady load it never ends. */
  async function sendBatches(kind: LineKind): Promise<void> {
    if (sending[kind] >= lanes()) return;
    sending[kind] += 1;
    let sent = 0;
    while (sending[kind] <= lanes() && underWay < 2 * lanes() + maxSlow) {
      const commands = pending.take(maxBatch, kind);
      if (commands.length === 0) break;
      const left = performance.now();
      await sendBatch(commands);
      const callers = Math.min(commands.length + pending.size(), maxBatch);
      if (commands.length > 1) await pending.filled(callers, gatherMs);
      waitEstimate.batchFollowed((performance.now() - left) / sending[kind]);
      sent += 1;
    }
    sending[kind] -= 1;
    if (sent > 0) startSending();
  }

  const lanes = () => batchesInFlight + Math.min(maxFull, Math.floor(pending.size() / maxBatch));

  function isFullFor(userId: string): boolean {
    if (pending.size() >= maxWaiting || pending.sizeOf(userId) >= maxWaitingOfUser) return true;
    const batchesAhead = Math.floor(pending.ahead(userId) / maxBatch);
    return batchesAhead > 0 && waitEstimate.expected(batchesAhead) > maxWaitMs;
  }

  return {
    async send(command) {
      if (!sender.isOpen() || isFullFor(command.userId)) return "undelivered";
      const queued = { ...command, ticket: ++lastTicket };
      pending.put(queued);
      const late = () => (pending.withdraw(queued) ? "undelivered" : "unanswered");
      const delivery = waiters.wait(queued.ticket, patienceMs, late);
      startSending();
      return delivery;
    },
    ping: async () => sender.isOpen() && sender.send([]),
    close: () => sender.close(),
  };
}
