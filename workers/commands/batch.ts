import { DatabaseFailure } from "../../shared/db/database-failure.ts";
import type { Reply } from "../../shared/queue/batch.ts";
import { handlerOf } from "../handlers/index.ts";
import { markFailures } from "../unit-of-work/connection.ts";
import type { ReceivedBatch } from "./command-metrics.ts";
import { type ReceivedCommand, type RunContext, runCommands, unavailableReply } from "./retries.ts";
import type { RetryQueue } from "./retry-queue.ts";
import type { SlowQueue } from "./slow-queue.ts";

export type BatchContext = RunContext &
  Readonly<{
    retryQueue: RetryQueue;
    slowQueue: SlowQueue;
    reply(batch: ReceivedCommand["batch"], replies: readonly Reply[]): Promise<unknown>;
  }>;

/**
 * Runs a batch and answers it. Never throws: every command is answered, with its committed outcome or with
 * `overloaded`. Commands that would delay the others follow outside of the batch: those on rows that another
 * transaction has locked, and slow ones.
 * @param redelivered whether another worker may have begun it before
 */
export async function processBatch(
  context: BatchContext,
  batch: ReceivedBatch,
  redelivered: boolean,
): Promise<void> {
  const received = batch.commands.map(
    (command): ReceivedCommand => ({ command, batch, repeat: redelivered, inDoubt: false }),
  );
  const isSlow = ({ command }: ReceivedCommand) => handlerOf(command.name).slow === true;
  const turnedAway = received.filter(
    (one) => isSlow(one) && !context.slowQueue.add(one.command.userId, () => runSlow(context, one)),
  );
  const together = received.filter((one) => !isSlow(one));
  const { replies, lockedElsewhere } = await runCommands(context, together, "skip");
  turnedAway.push(...context.retryQueue.add(lockedElsewhere));
  await context.reply(batch, [
    ...replies.map(([, reply]) => reply),
    ...turnedAway.map((one) => unavailableReply(one)),
  ]);
}

async function runSlow(context: BatchContext, one: ReceivedCommand): Promise<void> {
  const { replies } = await runCommands(context, [one], "wait");
  const answered = replies.map(([, reply]) => reply);
  const { followUp } = handlerOf(one.command.name);
  const done = answered.every(({ outcome }) => "body" in outcome);
  try {
    if (followUp && done) await followUp(markFailures(context.pool), one.command.userId);
    await context.reply(one.batch, answered);
  } catch (error) {
    reportUnfinished(context, one, error);
    await context.reply(one.batch, [unavailableReply({ ...one, inDoubt: true })]);
  }
}

function reportUnfinished({ log }: BatchContext, { command }: ReceivedCommand, error: unknown): void {
  const isFault = !(error instanceof DatabaseFailure);
  const reason = isFault && error instanceof Error ? error.stack : String(isFault ? error : error.cause);
  log[isFault ? "error" : "warn"]({ command: command.name, reason }, "command not finished");
}
