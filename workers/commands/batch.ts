import type { Job } from "bullmq";
import { commands as contracts } from "../../shared/contracts/catalogue.ts";
import type { Tracing } from "../../shared/process/observe/tracing.ts";
import type { Turns } from "../../shared/process/turns.ts";
import { type QueuedCommand, readBatch } from "../../shared/queue/batch.ts";
import type { Signer } from "../../shared/queue/signature.ts";
import { type ApartContext, runApart, runHeld } from "./apart.ts";
import { startSpan } from "./command-spans.ts";
import type { ReceivedCommand } from "./received.ts";
import { runCommands } from "./transaction/transaction.ts";

export type BatchContext = ApartContext &
  Readonly<{
    signer: Signer;
    tracing?: Tracing | undefined;
    /** Tells the front door that no command of a batch is run. */
    refuseBatch(data: unknown, redelivered: boolean): Promise<unknown>;
  }>;

type BatchJob = Pick<Job<unknown>, "data" | "attemptsStarted">;

/**
 * Runs the batch of a job and answers it. Never throws: every command is answered, with its committed outcome or with
 * `overloaded`. Commands that would delay the others follow outside of the batch: those on rows that another
 * transaction has locked, slow ones and groups.
 */
export async function takeBatch(context: BatchContext, { data, attemptsStarted }: BatchJob): Promise<void> {
  const receivedAt = performance.now();
  const { tracing } = context;
  const redelivered = attemptsStarted > 1;
  const received = readBatch(data, context.signer);
  if (!received) return void (await context.refuseBatch(data, redelivered));
  context.metrics.received(received);
  const batch = { ...received, receivedAt };
  const together: ReceivedCommand[] = [];
  for (const command of batch.commands) {
    const span = tracing && startSpan(tracing, command, batch.commands.length);
    const one = { command, batch, repeat: redelivered, span };
    const turns = turnsOf(context, command);
    if (turns) void runApart(context, turns, one);
    else together.push(one);
  }
  const { replies, lockedElsewhere } = await runCommands(context, together, "skip");
  for (const held of Map.groupBy(lockedElsewhere, ({ command }) => command.userId).values())
    void runHeld(context, held);
  await context.reply(batch, replies);
}

/** @returns undefined for a command that needs no transaction of its own */
function turnsOf({ turns }: ApartContext, command: QueuedCommand): Turns | undefined {
  const { group } = command;
  const isSlow = (group?.operations ?? [command]).some(({ name }) => contracts[name].apart);
  if (isSlow) return turns.slow;
  return group && turns.groups;
}
