import { Queue } from "bullmq";
import type { Config } from "../shared/config.ts";
import type { Envelope, QueuedCommand, Replies, Reply } from "../shared/queue/envelope.ts";
import {
  commandQueue,
  connectImpatient,
  connectPatient,
  keyPrefix,
  replyChannel,
} from "../shared/queue/queues.ts";

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
const maxGathered = 2_000;

/**
 * Carries commands to the workers. An envelope leaves at once with whatever has gathered; commands gather
 * while `envelopesInFlight` envelopes are unanswered. So a lone command travels alone, and under load many
 * share one job, one transaction and one fsync.
 */
export async function openMailbox(
  config: Pick<Config, "redisUrl" | "queuePrefix" | "envelopesInFlight">,
): Promise<Mailbox> {
  const { redisUrl, queuePrefix, envelopesInFlight } = config;
  const replyTo = replyChannel(queuePrefix, crypto.randomUUID());
  const producer = connectImpatient(redisUrl);
  const queue = openQueue(producer, queuePrefix);
  const subscriber = connectPatient(redisUrl);
  const waiting = new Map<number, (delivery: Delivery) => void>();
  const underWay = new Map<string, () => void>();
  let gathered: QueuedCommand[] = [];
  let lastTicket = 0;

  function post(): void {
    while (underWay.size < envelopesInFlight && gathered.length > 0) {
      const commands = gathered.slice(0, maxEnvelope);
      gathered = gathered.slice(maxEnvelope);
      void deliver({ id: Bun.randomUUIDv7(), replyTo, commands });
    }
  }

  async function deliver(envelope: Envelope): Promise<void> {
    const timer = setTimeout(() => release(envelope.id), replyTimeoutMs);
    underWay.set(envelope.id, () => clearTimeout(timer));
    try {
      await queue.add("envelope", envelope);
    } catch (error) {
      const delivery = wasNeverSent(error) ? "undelivered" : "unanswered";
      for (const { ticket } of envelope.commands) waiting.get(ticket)?.(delivery);
      release(envelope.id);
    }
  }

  /** Makes room for the next envelope: at the first answer of this one, or when it is overdue. */
  function release(envelopeId: string): void {
    underWay.get(envelopeId)?.();
    underWay.delete(envelopeId);
    post();
  }

  subscriber.on("message", (_channel, text) => {
    const { envelopeId, replies } = JSON.parse(text) as Replies;
    for (const reply of replies) waiting.get(reply.ticket)?.(reply);
    pings.get(envelopeId)?.();
    release(envelopeId);
  });
  await Promise.race([subscriber.subscribe(replyTo), Bun.sleep(replyTimeoutMs)]);

  const pings = new Map<string, () => void>();
  return {
    send(command) {
      if (gathered.length >= maxGathered) return Promise.resolve("undelivered");
      const ticket = ++lastTicket;
      return new Promise((resolve) => {
        const settle = (delivery: Delivery) => {
          clearTimeout(timer);
          waiting.delete(ticket);
          resolve(delivery);
        };
        const timer = setTimeout(settle, replyTimeoutMs, "unanswered" as const);
        waiting.set(ticket, settle);
        gathered.push({ ...command, ticket });
        post();
      });
    },
    ping() {
      const id = Bun.randomUUIDv7();
      return new Promise<boolean>((resolve) => {
        const settle = (answered: boolean) => {
          clearTimeout(timer);
          pings.delete(id);
          resolve(answered);
        };
        const timer = setTimeout(settle, replyTimeoutMs, false);
        pings.set(id, () => settle(true));
        queue.add("envelope", { id, replyTo, commands: [] }).catch(() => settle(false));
      });
    },
    async close() {
      subscriber.disconnect();
      await queue.close().catch(() => {});
      producer.disconnect();
    },
  };
}

function openQueue(connection: ReturnType<typeof connectImpatient>, queuePrefix: string): Queue<Envelope> {
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
