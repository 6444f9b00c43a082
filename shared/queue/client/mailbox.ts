import type { Config } from "../../process/config.ts";
import { patienceMs, type QueuedCommand, type Reply } from "../batch.ts";
import { openCourier } from "./courier.ts";
import { createPace } from "./pace.ts";
import { createOutbox, type LineKind } from "./pending.ts";
import { createWaiters } from "./waiters.ts";

/** `undelivered`: no worker will see it. `unanswered`: a worker may have carried it out, or may yet. */
export type Delivery = Reply | "undelivered" | "unanswered";

export type Mailbox = Readonly<{
  send(command: Omit<QueuedCommand, "ticket">): Promise<Delivery>;
  /** Whether a worker answers. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}>;

const maxEnvelope = 100;
/** What may wait in all, and of one user: it takes four who flood at once to fill the box. */
const maxWaiting = 2_000;
const maxWaitingOfUser = 500;
/**
 * A command that would wait longer is refused at once. It is half of what its caller waits, so that whatever is
 * taken in is answered in time although the estimate is rough.
 */
const maxWaitMs = patienceMs / 2;
/** So long an envelope waits for those who were just answered: else the first of them leaves alone and all others wait. */
const gatherMs = 2;
/** After so long an unanswered envelope keeps the next from leaving no more: its worker may be frozen, or dead. */
const slowMs = 100;
/** Beside those of ENVELOPES_IN_FLIGHT: slow ones, and full ones while more than fill an envelope wait. */
const maxSlow = 3;
const maxFull = 3;

/**
 * Carries commands to the workers. An envelope leaves at once with whatever has gathered; commands gather
 * in the outbox while `envelopesInFlight` envelopes are unanswered. So a lone command travels alone, and
 * under load many share one job, one transaction and one fsync.
 */
export async function openMailbox(
  config: Pick<Config, "redisUrl" | "queuePrefix" | "envelopesInFlight">,
): Promise<Mailbox> {
  const { envelopesInFlight } = config;
  const waiters = createWaiters<number, Delivery>();
  const outbox = createOutbox();
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
    onAway: () => settle(outbox.takeAll(), "undelivered"),
  });

  /** Sends one envelope. Resolves at its answer, or when it is slow. */
  async function send(commands: readonly QueuedCommand[]): Promise<void> {
    const left = performance.now();
    const slow = Promise.withResolvers<void>();
    const timer = setTimeout(slow.resolve, slowMs);
    // Its users' next commands wait for it, so that the order of each user's commands is kept.
    const release = outbox.holdBack(new Set(commands.map(({ userId }) => userId)));
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

  /** Sends envelopes one after another until nothing is left; a loop, since under steady load it never ends. */
  async function post(kind: LineKind): Promise<void> {
    if (posting[kind] >= lanes()) return;
    posting[kind] += 1;
    let sent = 0;
    while (posting[kind] <= lanes() && underWay < 2 * lanes() + maxSlow) {
      const commands = outbox.take(maxEnvelope, kind);
      if (commands.length === 0) break;
      const left = performance.now();
      await send(commands);
      const callers = Math.min(commands.length + outbox.size(), maxEnvelope);
      if (commands.length > 1) await outbox.filled(callers, gatherMs);
      pace.followed((performance.now() - left) / posting[kind]);
      sent += 1;
    }
    posting[kind] -= 1;
    if (sent > 0) postAll();
  }

  const lanes = () => envelopesInFlight + Math.min(maxFull, Math.floor(outbox.size() / maxEnvelope));

  function isFullFor(userId: string): boolean {
    if (outbox.size() >= maxWaiting || outbox.sizeOf(userId) >= maxWaitingOfUser) return true;
    const envelopesAhead = Math.floor(outbox.ahead(userId) / maxEnvelope);
    return envelopesAhead > 0 && pace.wait(envelopesAhead) > maxWaitMs;
  }

  return {
    async send(command) {
      if (!courier.isOpen() || isFullFor(command.userId)) return "undelivered";
      const queued = { ...command, ticket: ++lastTicket };
      outbox.put(queued);
      const late = () => (outbox.withdraw(queued) ? "undelivered" : "unanswered");
      const delivery = waiters.wait(queued.ticket, patienceMs, late);
      postAll();
      return delivery;
    },
    ping: async () => courier.isOpen() && courier.deliver([]),
    close: () => courier.close(),
  };
}
