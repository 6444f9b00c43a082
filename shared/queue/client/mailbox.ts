import type { Config } from "../../process/config.ts";
import { patienceMs, type QueuedCommand, type Reply } from "../batch.ts";
import { openCourier } from "./courier.ts";
import { createPace } from "./pace.ts";
import { createPendingCommands, type LineKind } from "./pending.ts";
import { createWaiters } from "./waiters.ts";

/** `undelivered`: no worker will see it. `unanswered`: a worker may have carried it out, or may yet. */
export type Delivery = Reply | "undelivered" | "unanswered";

export type Mailbox = Readonly<{
  send(command: Omit<QueuedCommand, "ticket">): Promise<Delivery>;
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
  const waiters = createWaiters<number, Delivery>();
  const pending = createPendingCommands();
  const pace = createPace();
  let lastTicket = 0;
  const posting = { short: 0, long: 0 };
  let underWay = 0;

  const settle = (commands: readonly QueuedCommand[], delivery: Delivery) => {
    for (const { ticket } of commands) waiters.settle(ticket, delivery);
  };
  const courier = await openCourier(config, {
    onReply: (reply) => waiters.settle(reply.ticket, reply),
    onLost: settle,
    onAway: () => settle(pending.takeAll(), "undelivered"),
  });

  /** Sends one batch. Resolves at its answer, or when it is slow. */
  async function send(commands: readonly QueuedCommand[]): Promise<void> {
    const left = performance.now();
    const slow = Promise.withResolvers<void>();
    const timer = setTimeout(slow.resolve, slowMs);
    // Its users' next commands wait for it, so that the order of each user's commands is kept.
    const release = pending.holdBack(new Set(commands.map(({ userId }) => userId)));
    underWay += 1;
    const answered = courier.deliver(commands).then(() => {
      clearTimeout(timer);
      underWay -= 1;
      pace.answered(performance.now() - left);
      release();
      postAll();
    });
    await Promise.race([answered, slow.promise]);
  }

  /** In this order: a line that ceases to be long in between is not overlooked. */
  function postAll(): void {
    void post("long");
    void post("short");
  }

  /** Sends batches one after another until nothing is left; a loop, since under steady load it never ends. */
  async function post(kind: LineKind): Promise<void> {
    if (posting[kind] >= lanes()) return;
    posting[kind] += 1;
    let sent = 0;
    while (posting[kind] <= lanes() && underWay < 2 * lanes() + maxSlow) {
      const commands = pending.take(maxBatch, kind);
      if (commands.length === 0) break;
      const left = performance.now();
      await send(commands);
      const callers = Math.min(commands.length + pending.size(), maxBatch);
      if (commands.length > 1) await pending.filled(callers, gatherMs);
      pace.followed((performance.now() - left) / posting[kind]);
      sent += 1;
    }
    posting[kind] -= 1;
    if (sent > 0) postAll();
  }

  const lanes = () => batchesInFlight + Math.min(maxFull, Math.floor(pending.size() / maxBatch));

  function isFullFor(userId: string): boolean {
    if (pending.size() >= maxWaiting || pending.sizeOf(userId) >= maxWaitingOfUser) return true;
    const batchesAhead = Math.floor(pending.ahead(userId) / maxBatch);
    return batchesAhead > 0 && pace.wait(batchesAhead) > maxWaitMs;
  }

  return {
    async send(command) {
      if (!courier.isOpen() || isFullFor(command.userId)) return "undelivered";
      const queued = { ...command, ticket: ++lastTicket };
      pending.put(queued);
      const late = () => (pending.withdraw(queued) ? "undelivered" : "unanswered");
      const delivery = waiters.wait(queued.ticket, patienceMs, late);
      postAll();
      return delivery;
    },
    ping: async () => courier.isOpen() && courier.deliver([]),
    close: () => courier.close(),
  };
}
