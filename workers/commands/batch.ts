import type { Reply } from "../../shared/queue/batch.ts";
import { handlerOf } from "../handlers/index.ts";
import { type AttemptContext, attempt, overloaded, type Pending } from "./attempt.ts";
import type { ReceivedBatch } from "./command-metrics.ts";
import type { Deferred } from "./deferred.ts";
import type { Lane } from "./lane.ts";

export type BatchContext = AttemptContext &
  Readonly<{
    /** Retries commands on rows that are held elsewhere. */
    deferred: Deferred;
    /** Runs commands whose cost grows with what their user has. */
    lane: Lane;
    reply(batch: Pending["batch"], replies: readonly Reply[]): Promise<unknown>;
  }>;

/**
 * Carries out a batch and answers it. Never throws: every command is answered, with its committed outcome or with
 * `overloaded`. What would make strangers wait follows outside of the batch: commands on rows held elsewhere, and
 * those that travel alone.
 * @param redelivered whether another worker may have begun it before
 */
export async function processBatch(
  context: BatchContext,
  batch: ReceivedBatch,
  redelivered: boolean,
): Promise<void> {
  const pending = batch.commands.map(
    (command): Pending => ({ command, batch, repeat: redelivered, inDoubt: false }),
  );
  const isAlone = ({ command }: Pending) => handlerOf(command.name).alone === true;
  const turnedAway = pending.filter(
    (one) => isAlone(one) && !context.lane.enter(one.command.userId, () => carryOutAlone(context, one)),
  );
  const together = pending.filter((one) => !isAlone(one));
  const { replies, locked } = await attempt(context, together, false);
  turnedAway.push(...context.deferred.add(locked));
  await context.reply(batch, [
    ...replies.map(([, reply]) => reply),
    ...turnedAway.map((one) => overloaded(one)),
  ]);
}

async function carryOutAlone(context: BatchContext, one: Pending): Promise<void> {
  const { replies } = await attempt(context, [one], true);
  const answered = replies.map(([, reply]) => reply);
  const { followUp } = handlerOf(one.command.name);
  const done = answered.every(({ outcome }) => "body" in outcome);
  try {
    if (followUp && done) await followUp(context.pool, one.command.userId);
    await context.reply(one.batch, answered);
  } catch (error) {
    context.log.warn({ command: one.command.name, reason: String(error) }, "command not finished");
    await context.reply(one.batch, [overloaded({ ...one, inDoubt: true })]);
  }
}
