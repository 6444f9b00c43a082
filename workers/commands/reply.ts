import type { RefusedBatch, Replies, Reply } from "../../shared/queue/batch.ts";
import { createWrittenPositions, notesPositions } from "../../shared/queue/written-positions.ts";
import type { WorkerContext } from "../context.ts";
import { createAnswerLog } from "./answer-log.ts";
import type { CommandMetrics } from "./command-metrics.ts";
import { endSpans } from "./command-spans.ts";
import type { ReceivedBatch } from "./received.ts";

type Answering = Readonly<{
  reply(batch: ReceivedBatch, replies: readonly Reply[]): Promise<unknown>;
  publish(channel: string, message: Replies | RefusedBatch): Promise<unknown>;
}>;

/** Sends replies to the front doors. What is lost here is made up for by the door, which looks into the inbox. */
export function createAnswering(
  { config, log, publisher }: Pick<WorkerContext, "config" | "log" | "publisher">,
  metrics: CommandMetrics,
  announce: (batch: ReceivedBatch) => void,
): Answering {
  const positions = notesPositions(config)
    ? createWrittenPositions(publisher, config.queuePrefix)
    : undefined;
  const note = createAnswerLog(log);
  const publish: Answering["publish"] = (channel, message) =>
    publisher.publish(channel, JSON.stringify(message)).catch(() => undefined);
  return {
    publish,
    async reply(batch, replies) {
      metrics.answered(batch, replies);
      note(batch, replies);
      if (batch.spans) endSpans(batch.spans, replies);
      const message = { v: batch.v, batchId: batch.id, replies };
      const send = () => {
        const sent = publish(batch.replyTo, message);
        announce(batch);
        return sent;
      };
      if (!positions) return send();
      // Who has the answer may read from a standby at once, so there is none without the note.
      return positions.note(positionsByUser(batch, replies)).then(send, () => undefined);
    },
  };
}

/** That an agent has read something is no change: its log is read from the primary, so nobody waits to see it. */
function positionsByUser({ commands }: ReceivedBatch, replies: readonly Reply[]): Map<string, number> {
  const changing = commands.filter(({ name }) => name !== "action.record");
  const users = new Map(changing.map(({ ticket, userId }) => [ticket, userId]));
  const positions = new Map<string, number>();
  for (const { ticket, position } of replies) {
    const userId = users.get(ticket);
    if (userId === undefined || position === undefined) continue;
    positions.set(userId, Math.max(position, positions.get(userId) ?? 0));
  }
  return positions;
}
