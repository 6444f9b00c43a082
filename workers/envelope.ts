import { refuse } from "../shared/errors.ts";
import type { Log } from "../shared/log.ts";
import type { Envelope, Outcome, QueuedCommand, Reply } from "../shared/queue/envelope.ts";
import { lockedRows } from "./needs.ts";
import {
  type Folded,
  fold,
  isDatabaseError,
  type TransactionContext,
  TransactionFailed,
} from "./transaction.ts";
import { needId } from "./unit-of-work/load.ts";

export type EnvelopeContext = TransactionContext &
  Readonly<{ log: Log; reply(envelope: Envelope, replies: readonly Reply[]): Promise<unknown> }>;

/**
 * Carries out an envelope and answers it. Never throws: every command is answered, with its committed
 * outcome or with `overloaded`. Commands on rows held elsewhere follow in transactions of their own, so
 * that they delay nobody else.
 */
export async function processEnvelope(context: EnvelopeContext, envelope: Envelope): Promise<void> {
  const { replies, busy } = await attempt(context, envelope.commands, true);
  await context.reply(envelope, replies);
  await Promise.all(
    byRow(busy).map(async (commands) => {
      const later = await attempt(context, commands, false);
      await context.reply(envelope, later.replies);
    }),
  );
}

/** Commands that wait for the same rows belong together, in their order. */
function byRow(commands: readonly QueuedCommand[]): QueuedCommand[][] {
  const groups = Map.groupBy(commands, (command) => lockedRows(command).map(needId).join());
  return [...groups.values()];
}

/** One transaction for all; when Postgres refuses it, each command alone, so that one cannot spoil the others. */
async function attempt(
  context: EnvelopeContext,
  commands: readonly QueuedCommand[],
  stepAside: boolean,
): Promise<Folded> {
  try {
    return await foldAgainWhenLost(context, commands, stepAside);
  } catch (error) {
    const failure = asFailure(error);
    if (commands.length > 1 && isRefusedByDatabase(failure)) {
      const alone: Reply[] = [];
      for (const command of commands) alone.push(...(await attempt(context, [command], false)).replies);
      return { replies: alone, busy: [] };
    }
    return { replies: commands.map((command) => failed(context, command, failure)), busy: [] };
  }
}

const maxTries = 3;

/** Tries again where a second try can succeed: after a lost connection, a duplicate, a deadlock. */
async function foldAgainWhenLost(
  context: EnvelopeContext,
  commands: readonly QueuedCommand[],
  stepAside: boolean,
): Promise<Folded> {
  let commitSent = false;
  for (let tries = 1; ; tries++) {
    try {
      return await fold(context, commands, stepAside);
    } catch (error) {
      const failure = asFailure(error);
      commitSent ||= failure.commitSent;
      const again = isRefusedByDatabase(failure) ? commands.length === 1 && isPassing(failure) : tries === 1;
      if (!again || tries === maxTries) throw new TransactionFailed(failure.cause, commitSent);
    }
  }
}

const asFailure = (error: unknown): TransactionFailed =>
  error instanceof TransactionFailed ? error : new TransactionFailed(error, false);

/** Everything but a broken connection: an error of Postgres, or a fault of a handler. */
const isRefusedByDatabase = ({ cause }: TransactionFailed): boolean =>
  isDatabaseError(cause) || cause instanceof TypeError || cause instanceof RangeError;

/** Unique violation (a concurrent duplicate), foreign key (its target just went), serialization, deadlock. */
const isPassing = ({ cause }: TransactionFailed): boolean =>
  isDatabaseError(cause) && ["23505", "23503", "40001", "40P01"].includes(cause.code);

function failed({ log }: EnvelopeContext, command: QueuedCommand, failure: TransactionFailed): Reply {
  const reason = failure.cause instanceof Error ? failure.cause.message : String(failure.cause);
  log.error({ command: command.name, id: command.id, reason }, "command failed");
  const outcome: Outcome = isRefusedByDatabase(failure)
    ? refuse("internal", "This request failed because of a fault of the service; nothing was changed.", {
        applied: "no",
      })
    : refuse("overloaded", "The service is briefly unable to write. Please try again.", {
        applied: failure.commitSent ? "unknown" : "no",
        retryAfterSeconds: 1,
      });
  return { ticket: command.ticket, outcome, replayed: false };
}
