import { refuse, unwritten } from "../shared/errors.ts";
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
import type { WaitingRoom } from "./waiting-room.ts";

export type EnvelopeContext = TransactionContext &
  Readonly<{
    log: Log;
    waitingRoom: WaitingRoom;
    reply(envelope: Envelope, replies: readonly Reply[]): Promise<unknown>;
  }>;

/**
 * Carries out an envelope and answers it. Never throws: every command is answered, with its committed
 * outcome or with `overloaded`. Commands on rows held elsewhere follow in transactions of their own, so
 * that they delay neither the others of this envelope nor the next ones.
 */
export async function processEnvelope(context: EnvelopeContext, envelope: Envelope): Promise<void> {
  const { replies, busy } = await attempt(context, envelope.commands, true);
  const refused = [...byRows(busy)].flatMap(([rows, commands]) => {
    const follow = async (late: boolean) => {
      const later = late ? refuseHeld(commands) : (await attempt(context, commands, false)).replies;
      await context.reply(envelope, later);
    };
    return context.waitingRoom.enter(rows, follow) ? [] : refuseHeld(commands);
  });
  await context.reply(envelope, [...replies, ...refused]);
}

/** Commands that wait for the same rows belong together, in their order. */
const byRows = (commands: readonly QueuedCommand[]) =>
  Map.groupBy(commands, (command) => lockedRows(command).map(needId).join());

const refuseHeld = (commands: readonly QueuedCommand[]): Reply[] =>
  commands.map(({ ticket }) => ({ ticket, outcome: unwritten("no"), replayed: false }));

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
    if (!isHeld(failure)) report(context, commands, failure);
    return { replies: commands.map((command) => failed(command, failure)), busy: [] };
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
      return await fold(context, commands, { stepAside, first: stepAside && tries === 1 });
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

/** The row is still held by someone else after all our patience. */
const isHeld = ({ cause }: TransactionFailed): boolean => isDatabaseError(cause) && cause.code === "55P03";

/** A fault is of one command; an outage is one line for all of them. */
function report(
  { log }: EnvelopeContext,
  commands: readonly QueuedCommand[],
  failure: TransactionFailed,
): void {
  const reason = failure.cause instanceof Error ? failure.cause.message : String(failure.cause);
  if (isRefusedByDatabase(failure))
    for (const { name, id } of commands) log.error({ command: name, id, reason }, "command failed");
  else log.warn({ commands: commands.length, reason }, "database unavailable");
}

function failed({ ticket }: QueuedCommand, failure: TransactionFailed): Reply {
  if (isHeld(failure) || isPassing(failure)) return { ticket, outcome: unwritten("no"), replayed: false };
  const outcome: Outcome = isRefusedByDatabase(failure)
    ? refuse("internal", "This request failed because of a fault of the service; nothing was changed.", {
        applied: "no",
      })
    : unwritten(failure.commitSent ? "unknown" : "no");
  return { ticket, outcome, replayed: false };
}
