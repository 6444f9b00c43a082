import { Queue } from "bullmq";
import type { Redis } from "ioredis";
import type { Config } from "../shared/config.ts";
import type { Envelope, QueuedCommand, Replies, Reply } from "../shared/queue/envelope.ts";
import {
  commandQueue,
  connectImpatient,
  connectPatient,
  keyPrefix,
  replyChannel,
} from "../shared/queue/queues.ts";
import { createOutbox } from "./outbox.ts";
import { createWaiters } from "./waiters.ts";

/** `undelivered`: no worker will see it. `unanswered`: a worker may have carried it out, or may yet. */
export type Delivery = Reply | "undelivered" | "unanswered";

export type Mailbox = Readonly<{
  send(command: Omit<QueuedCommand, "ticket">): Promise<Delivery>;
  /** Whether a worker answers. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}>;

const replyTimeoutMs = 1_500;
const maxEnvelope = 100;
const maxWaiting = 2_000;
/** So long an envelope waits for those who were just answered: else the first of them leaves alone and all others wait. */
const gatherMs = 2;

/**
 * Carries commands to the workers. An envelope leaves at once with whatever has gathered; commands gather
 * in the outbox while `envelopesInFlight` envelopes are unanswered. So a lone command travels alone, and
 * under load many share one job, one transaction and one fsync.
 */
export async function openMailbox(
  config: Pick<Config, "redisUrl" | "queuePrefix" | "envelopesInFlight">,
): Promise<Mailbox> {
  const { redisUrl, queuePrefix, envelopesInFlight } = config;
  const replyTo = replyChannel(queuePrefix, crypto.randomUUID());
  const producer = connectImpatient(redisUrl);
  const queue = openQueue(producer, queuePrefix);
  const subscriber = connectPatient(redisUrl);
  const commandWaiters = createWaiters<number, Delivery>(replyTimeoutMs);
  const envelopeWaiters = createWaiters<string, boolean>(replyTimeoutMs);
  const outbox = createOutbox();
  let lastTicket = 0;
  let underWay = 0;

  /** Sends one envelope; true at its first answer, false when it was refused or is overdue. */
  function deliver(commands: readonly QueuedCommand[]): Promise<boolean> {
    const id = Bun.randomUUIDv7();
    const answered = envelopeWaiters.wait(id, () => false);
    queue.add("envelope", { id, replyTo, commands }).catch((error: unknown) => {
      const delivery = wasNeverSent(error) ? "undelivered" : "unanswered";
      for (const { ticket } of commands) commandWaiters.settle(ticket, delivery);
      envelopeWaiters.settle(id, false);
    });
    return answered;
  }

  /** Sends envelopes one after another until nothing is left; a loop, since under steady load it never ends. */
  async function post(): Promise<void> {
    if (underWay >= envelopesInFlight) return;
    underWay += 1;
    while (outbox.size() > 0) {
      const commands = outbox.take(maxEnvelope);
      await deliver(commands);
      const callers = Math.min(commands.length + outbox.size(), maxEnvelope);
      if (commands.length > 1) await outbox.filled(callers, gatherMs);
    }
    underWay -= 1;
  }

  subscriber.on("message", (_channel, text) => {
    const { envelopeId, replies } = JSON.parse(text) as Replies;
    for (const reply of replies) commandWaiters.settle(reply.ticket, reply);
    envelopeWaiters.settle(envelopeId, true);
  });
  await Promise.race([
    Promise.all([isReady(producer), subscriber.subscribe(replyTo)]),
    Bun.sleep(replyTimeoutMs),
  ]);

  return {
    async send(command) {
      if (outbox.size() >= maxWaiting) return "undelivered";
      const ticket = ++lastTicket;
      outbox.put({ ...command, ticket });
      const late = () => (outbox.withdraw(ticket) ? "undelivered" : "unanswered");
      const delivery = commandWaiters.wait(ticket, late);
      void post();
      return delivery;
    },
    ping: () => deliver([]),
    async close() {
      subscriber.disconnect();
      await queue.close().catch(() => {});
      producer.disconnect();
    },
  };
}

/** A producer that is still connecting refuses everything: without this wait the first command would fail. */
const isReady = (redis: Redis): Promise<unknown> =>
  redis.status === "ready" ? Promise.resolve() : new Promise((resolve) => redis.once("ready", resolve));

function openQueue(connection: Redis, queuePrefix: string): Queue<Envelope> {
  const queue = new Queue<Envelope>(commandQueue, {
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
