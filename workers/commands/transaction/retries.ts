import { DatabaseFailure } from "../../../shared/db/database-failure.ts";
import { refuse, unavailable } from "../../../shared/errors.ts";
import type { Log } from "../../../shared/process/observe/log.ts";
import type { Outcome, Reply } from "../../../shared/queue/batch.ts";
import {
  type Answered,
  isOfGroup,
  type ReceivedCommand,
  requestOf,
  type TransactionMode,
} from "../received.ts";

export type RunContext = Readonly<{ log: Log; makePartitions(): Promise<void> }>;

/** Commands on rows that are locked elsewhere get another attempt. */
export type RunResult = Readonly<{
  replies: Answered;
  lockedElsewhere: readonly ReceivedCommand[];
}>;

/** Runs commands again like the failed attempt; the number of the attempt is given. */
type RunCommands = (received: readonly ReceivedCommand[], tries: number) => Promise<RunResult>;

/** An attempt that failed. */
type Attempt = Readonly<{ received: readonly ReceivedCommand[]; mode: TransactionMode; tries: number }>;

const maxTries = 3;

/**
 * Runs commands of a failed transaction again if that can succeed: after a lost connection, a duplicate or a
 * deadlock. If PostgreSQL or a handler refuses the transaction, each half gets its own transaction, until the
 * culprit is alone. Never throws: every command is answered or locked elsewhere.
 */
export async function retryFailed(
  context: RunContext,
  error: unknown,
  { received, mode, tries }: Attempt,
  run: RunCommands,
): Promise<RunResult> {
  const failure = failureOf(error, true);
  const { by, maybeApplied } = failure;
  const again = received.map((one) => ({
    ...one,
    repeat: true,
    maybeApplied: one.maybeApplied || maybeApplied,
  }));
  const waits = mode !== "wait" && isLockTimeout(failure);
  if (isWithoutPartition(failure)) await context.makePartitions();
  if (waits && isOfGroup(mode)) return { replies: [], lockedElsewhere: again };
  if (by !== "outage" && mayBeHalved(received, mode)) return runHalves(again, run);
  if (waits) return { replies: [], lockedElsewhere: again };
  if (tries < maxTries && (by === "outage" ? tries === 1 : isPassing(failure))) return run(again, tries + 1);
  if (!isLockTimeout(failure)) report(context, again, failure);
  return failedAll(again, failure, mode);
}

/** Operations of a previewed group build on changes that are thrown away together. */
const mayBeHalved = (received: readonly ReceivedCommand[], mode: TransactionMode): boolean =>
  received.length > 1 &&
  !(isOfGroup(mode) && (mode.atomic || received.some(({ command }) => command.preview)));

/** If commands of a user in the first half need another attempt, those in the second half wait with them. */
async function runHalves(received: readonly ReceivedCommand[], run: RunCommands): Promise<RunResult> {
  const middle = Math.ceil(received.length / 2);
  const [first, second] = [received.slice(0, middle), received.slice(middle)];
  const one = await run(first, 1);
  const waiting = new Set(one.lockedElsewhere.map(({ command }) => command.userId));
  const isWaiting = ({ command }: ReceivedCommand) => waiting.has(command.userId);
  const free = second.filter((received) => !isWaiting(received));
  const other = await run(free, 1);
  return {
    replies: [...one.replies, ...other.replies],
    lockedElsewhere: [...one.lockedElsewhere, ...second.filter(isWaiting), ...other.lockedElsewhere],
  };
}

/** Operations of a group that need one of these must learn that it failed. */
function failedAll(
  received: readonly ReceivedCommand[],
  failure: TransactionFailed,
  mode: TransactionMode,
): RunResult {
  const replies = received.map((one) => [one, failureReply(one, failure)] as const);
  if (isOfGroup(mode)) for (const [, { ticket, outcome }] of replies) mode.ended.set(ticket, outcome);
  return { replies, lockedElsewhere: [] };
}

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
  const unsure = one.maybeApplied || failure.by === "outage" || isLockTimeout(failure) || isPassing(failure);
  return unsure
    ? unavailableReply(one)
    : { ticket: one.command.ticket, outcome: internalFault, replayed: false };
}

export const internalFault: Outcome = refuse(
  "internal",
  "This request failed because of a fault of the service; nothing was changed.",
  { applied: "no" },
);

/** A command that is not run now, with its reply. */
export const turnAway = (one: ReceivedCommand): Answered[number] => [one, unavailableReply(one)];

/** After an attempt that may have been applied, only a stored reply tells what happened to the command. */
const unavailableReply = ({
  command,
  maybeApplied,
}: Pick<ReceivedCommand, "command" | "maybeApplied">): Reply => ({
  ticket: command.ticket,
  outcome: unavailable(maybeApplied ? "unknown" : "no"),
  replayed: false,
});

/** The cause of a failed transaction: PostgreSQL refused it or was lost, or Kept's code has a fault. */
type FailedBy = "database" | "outage" | "fault";

export class TransactionFailed extends Error {
  constructor(
    override readonly cause: unknown,
    readonly by: FailedBy,
    /** True if it may have been applied even so. */
    readonly maybeApplied: boolean,
  ) {
    super("transaction failed", { cause });
  }
}

/** Sorts an error by where it was thrown, never by its class or message. */
export function failureOf(error: unknown, commitSent: boolean): TransactionFailed {
  if (error instanceof TransactionFailed) return error;
  if (!(error instanceof DatabaseFailure)) return new TransactionFailed(error, "fault", commitSent);
  const { cause } = error;
  const by = isAnswer(cause) ? "database" : "outage";
  return new TransactionFailed(cause, by, commitSent && !isRolledBack(cause));
}

/** An error that PostgreSQL reported, with its SQLSTATE. */
type ReportedError = Error & { code: string };

/**
 * PostgreSQL refused a statement and the session lives on, so nothing of the transaction was applied. It is
 * recognised by SQLSTATE, which no language setting translates: the classes 08, 57P, 25P03 and 25P04 end the
 * session.
 */
export const isRolledBack = (error: unknown): error is ReportedError =>
  isReported(error) && !/^(08|57P|25P0[34])/.test(error.code);

/**
 * PostgreSQL refused this statement and would accept others. Everything else is an outage, in which others would
 * fail as well: a session that ended, or a server that is full (53), broken (58) or read-only (25006).
 */
export const isAnswer = (error: unknown): error is ReportedError =>
  isRolledBack(error) && !/^(53|58|25006)/.test(error.code);

/** Socket errors have codes too, but no severity. */
const isReported = (error: unknown): error is ReportedError =>
  error instanceof Error && "severity" in error && "code" in error && typeof error.code === "string";

const codeOf = ({ by, cause }: TransactionFailed): string =>
  by === "database" && isAnswer(cause) ? cause.code : "";

/** PostgreSQL's clock has jumped to a time without partitions. */
const isWithoutPartition = (failure: TransactionFailed): boolean => codeOf(failure) === "23514";

/** A concurrent duplicate, a row that was deleted meanwhile, no partition yet, serialization, deadlock. */
const isPassing = (failure: TransactionFailed): boolean =>
  ["23505", "23503", "23514", "40001", "40P01"].includes(codeOf(failure));

/** PostgreSQL waited too long for a lock that SKIP LOCKED cannot avoid, such as that of an index entry. */
const isLockTimeout = (failure: TransactionFailed): boolean => codeOf(failure) === "55P03";
