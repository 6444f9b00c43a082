import { refuse, unavailable } from "../../shared/errors.ts";
import type { Outcome, Reply } from "../../shared/queue/batch.ts";
import { attempt, isOfGroup, type Manner, type RunContext } from "./attempt.ts";
import { isAnswer } from "./database-error.ts";
import type { ReceivedCommand } from "./received.ts";
import { requestOf } from "./request-of.ts";
import type { TransactionResult } from "./transaction.ts";
import { failureOf, type TransactionFailed } from "./transaction-failed.ts";

export type RunResult = Readonly<{
  replies: readonly (readonly [ReceivedCommand, Reply])[];
  /** Commands on rows or keys that another transaction has locked, and their users' later ones: worth another attempt. */
  lockedElsewhere: readonly ReceivedCommand[];
}>;

const maxTries = 3;

/**
 * Runs commands, again where that can succeed: after a lost connection, a duplicate or a deadlock. When PostgreSQL or a
 * handler refuses the transaction, each half gets one of its own, until the culprit is alone and spoils no other. Never
 * throws: every command is answered or locked elsewhere.
 */
export async function runCommands(
  context: RunContext,
  received: readonly ReceivedCommand[],
  manner: Manner,
  tries = 1,
): Promise<RunResult> {
  if (received.length === 0) return { replies: [], lockedElsewhere: [] };
  try {
    return resultOf(received, await attempt(context, received, manner));
  } catch (error) {
    const failure = failureOf(error, true);
    const { by, inDoubt } = failure;
    const again = received.map((one) => ({ ...one, repeat: true, inDoubt: one.inDoubt || inDoubt }));
    const waits = manner !== "wait" && isLockTimeout(failure);
    if (isWithoutPartition(failure)) await context.makePartitions();
    if (waits && isOfGroup(manner)) return { replies: [], lockedElsewhere: again };
    if (by !== "outage" && mayBeHalved(received, manner)) return runHalves(context, again, manner);
    if (waits) return { replies: [], lockedElsewhere: again };
    if (tries < maxTries && (by === "outage" ? tries === 1 : isPassing(failure)))
      return runCommands(context, again, manner, tries + 1);
    if (!isLockTimeout(failure)) report(context, again, failure);
    return failedAll(again, failure, manner);
  }
}

const mayBeHalved = ({ length }: readonly ReceivedCommand[], manner: Manner): boolean =>
  length > 1 && !(isOfGroup(manner) && manner.atomic);

/** Users whose commands of the first half need another attempt wait with those of the second half. */
async function runHalves(
  context: RunContext,
  received: readonly ReceivedCommand[],
  manner: Manner,
): Promise<RunResult> {
  const middle = Math.ceil(received.length / 2);
  const [first, second] = [received.slice(0, middle), received.slice(middle)];
  const one = await runCommands(context, first, manner);
  const waiting = new Set(one.lockedElsewhere.map(({ command }) => command.userId));
  const isWaiting = ({ command }: ReceivedCommand) => waiting.has(command.userId);
  const free = second.filter((received) => !isWaiting(received));
  const other = await runCommands(context, free, manner);
  return {
    replies: [...one.replies, ...other.replies],
    lockedElsewhere: [...one.lockedElsewhere, ...second.filter(isWaiting), ...other.lockedElsewhere],
  };
}

/** The operations of a group that need one of these must learn that it failed. */
function failedAll(
  received: readonly ReceivedCommand[],
  failure: TransactionFailed,
  manner: Manner,
): RunResult {
  const replies = received.map((one) => [one, failureReply(one, failure)] as const);
  if (isOfGroup(manner)) for (const [, { ticket, outcome }] of replies) manner.ended.set(ticket, outcome);
  return { replies, lockedElsewhere: [] };
}

function resultOf(
  received: readonly ReceivedCommand[],
  { replies, lockedElsewhere }: TransactionResult,
): RunResult {
  const answered = received.filter(({ command }) => !lockedElsewhere.has(command));
  return {
    replies: answered.map((one, index) => {
      const reply = replies[index];
      if (!reply) throw new Error("A command was not answered.");
      const isKnown = reply.changedId !== undefined;
      const late = !isKnown && "refusal" in reply.outcome && reply.outcome.refusal.code === "overloaded";
      return [one, late && one.inDoubt ? unavailableReply(one) : reply];
    }),
    lockedElsewhere: received.filter(({ command }) => lockedElsewhere.has(command)),
  };
}

const codeOf = ({ by, cause }: TransactionFailed): string =>
  by === "database" && isAnswer(cause) ? cause.code : "";

/** PostgreSQL's clock has jumped to a time without partitions. */
const isWithoutPartition = (failure: TransactionFailed): boolean => codeOf(failure) === "23514";

/** A concurrent duplicate, a row that was deleted meanwhile, no partition yet, serialization, deadlock. */
export const isPassing = (failure: TransactionFailed): boolean =>
  ["23505", "23503", "23514", "40001", "40P01"].includes(codeOf(failure));

/** PostgreSQL waited too long for a lock, or a statement took too long. */
export const isTimeout = (failure: TransactionFailed): boolean =>
  isLockTimeout(failure) || codeOf(failure) === "57014";

/** PostgreSQL waited as long as it may for a lock that cannot be skipped, such as that of an index entry. */
const isLockTimeout = (failure: TransactionFailed): boolean => codeOf(failure) === "55P03";

/** Logs an outage once for all commands, and any other failure with the command that caused it. */
function report(
  { log }: RunContext,
  received: readonly ReceivedCommand[],
  { by, cause }: TransactionFailed,
): void {
  const { message, stack } = cause instanceof Error ? cause : { message: String(cause) };
  if (by === "outage") {
    log.warn({ commands: received.length, reason: message }, "database unavailable");
    return;
  }
  const reason = by === "database" ? message : (stack ?? message);
  for (const { command } of received)
    log.error(
      { request_id: requestOf(command)?.requestId, command: command.name, id: command.id, by, reason },
      "command failed",
    );
}

function failureReply(one: ReceivedCommand, failure: TransactionFailed): Reply {
  const unsure = one.inDoubt || failure.by === "outage" || isLockTimeout(failure) || isPassing(failure);
  return unsure
    ? unavailableReply(one)
    : { ticket: one.command.ticket, outcome: internalFault, replayed: false };
}

export const internalFault: Outcome = refuse(
  "internal",
  "This request failed because of a fault of the service; nothing was changed.",
  { applied: "no" },
);

/** After an attempt that may have been applied, only a stored reply shows what became of the command. */
export const unavailableReply = ({
  command,
  inDoubt,
}: Pick<ReceivedCommand, "command" | "inDoubt">): Reply => ({
  ticket: command.ticket,
  outcome: unavailable(inDoubt ? "unknown" : "no"),
  replayed: false,
});
