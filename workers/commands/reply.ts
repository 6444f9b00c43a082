import type { Log } from "../../shared/process/observe/log.ts";
import { type Replies, readBatchAddress } from "../../shared/queue/batch.ts";
import type { Signer } from "../../shared/queue/signature.ts";
import { subscribe } from "../../shared/queue/subscription.ts";
import {
  changedChannel,
  readUsers,
  watchedChannel,
  watchedForMs,
  writeUsers,
} from "../../shared/queue/watched-users.ts";
import type { WorkerContext } from "../process/context.ts";
import { endSpans } from "./command-spans.ts";
import { type CommandMetrics, codeOf } from "./metrics.ts";
import { type Answered, type ReceivedBatch, requestOf } from "./received.ts";

type Answering = Readonly<{
  reply(batch: ReceivedBatch, answered: Answered): Promise<unknown>;
  /**
   * Tells the front door that no command of this batch is run. A batch that was delivered before stays unanswered,
   * because another worker may have run it; the front door then finds the replies in the inbox.
   */
  refuseBatch(data: unknown, redelivered: boolean): Promise<unknown>;
}>;

/** Sends replies to the front doors. A door that misses one looks into the inbox. */
export function createAnswering(
  {
    log,
    publisher,
    tracing,
    signer,
  }: Pick<WorkerContext, "log" | "publisher" | "tracing"> & Readonly<{ signer: Signer }>,
  metrics: CommandMetrics,
  announce: (batch: ReceivedBatch) => void,
): Answering {
  const isDebugging = log.isLevelEnabled("debug");
  const publish = (channel: string, message: object) =>
    publisher.publish(channel, JSON.stringify(message)).catch(() => undefined);
  return {
    async refuseBatch(data, redelivered) {
      const reason = signer.verify(data) ? "format" : "signature";
      const address = readBatchAddress(data);
      metrics.refused(reason);
      log.warn({ event: `input_validation_fail:${reason}`, batch: address?.id }, "batch refused");
      if (!address || redelivered) return;
      // Doors of the releases before signatures understand this. A signed one for anybody's batch would help forgers.
      const refusal = { refusedBatch: address.id, replies: [] };
      await publish(address.replyTo, reason === "format" ? signer.sign(refusal) : refusal);
    },
    async reply(batch, answered) {
      metrics.answered(answered);
      if (isDebugging) logAnswers(log, batch, answered);
      if (tracing) endSpans(answered);
      const replies: Replies = { v: batch.v, batchId: batch.id, replies: answered.map(([, reply]) => reply) };
      const sent = publish(batch.replyTo, signer.sign(replies));
      announce(batch);
      await sent;
    },
  };
}

function logAnswers(log: Log, { id: batch, receivedAt }: ReceivedBatch, answered: Answered) {
  const ms = Math.round(performance.now() - receivedAt);
  for (const [{ command }, { outcome, replayed }] of answered) {
    const request_id = requestOf(command)?.requestId;
    log.debug(
      { request_id, command: command.name, batch, outcome: codeOf(outcome), replayed, ms },
      "answered",
    );
  }
}

type Announcing = Readonly<{
  /** Announces a commit for those users of a batch whose pages are open. */
  announce(batch: Readonly<{ commands: readonly Readonly<{ userId: string }>[] }>): void;
  close(): void;
}>;

/** Listens for users with open pages, so that nothing is sent about others. */
export async function openAnnouncing({
  config: { redisUrl, queuePrefix },
  publisher,
}: Pick<WorkerContext, "config" | "publisher">): Promise<Announcing> {
  /** The times (of performance.now()) until which users count as watched. */
  const watched = new Map<string, number>();
  const subscription = await subscribe(redisUrl, watchedChannel(queuePrefix), {
    onMessage(text) {
      const now = performance.now();
      for (const userId of readUsers(text)) watched.set(userId, now + watchedForMs);
      for (const [userId, until] of watched) if (until < now) watched.delete(userId);
    },
    onListening() {},
  });
  return {
    announce({ commands }) {
      if (watched.size === 0) return;
      const now = performance.now();
      const isWatched = (userId: string) => (watched.get(userId) ?? 0) > now;
      const users = new Set(commands.flatMap(({ userId }) => (isWatched(userId) ? userId : [])));
      // The announcement leaves together with the reply.
      if (users.size > 0) publisher.publish(changedChannel(queuePrefix), writeUsers(users)).catch(() => {});
    },
    close: subscription.close,
  };
}
