import { refuse, unwritten } from "../shared/errors.ts";
import type { Log } from "../shared/log.ts";
import type { Envelope, Outcome, QueuedCommand, Reply } from "../shared/queue/envelope.ts";
import type { Deferred } from "./deferred.ts";
import { handlerOf } from "./handlers/index.ts";
import type { Lane } from "./lane.ts";
import { type Folded, fold, type TransactionContext, TransactionFailed, type Work } from "./transaction.ts";

/** A command on its way to its reply. */
export type Pending = Work &
  Readonly<{
    /** Where its reply goes. */
    envelope: Pick<Envelope, "id" | "replyTo">;
    /** Whether an earlier try of this worker may have been applied. */
    inDoubt: boolean;
  }>;

/** What became of some commands. */
export type Settled = Readonly<{
  replies: readonly (readonly [Pending, Reply])[];
  /** Held elsewhere, and worth another try. */
  locked: readonly Pending[];
}>;

export type EnvelopeContext = TransactionContext &
  Readonly<{
    log: Log;
    /** For commands on rows that are held elsewhere. */
    deferred: Deferred;
    /** For commands whose cost grows with what their user has. */
    lane: Lane;
    reply(envelope: Pending["envelope"], replies: readonly Reply[]): Promise<unknown>;
  }>;

/**
 * Carries out an envelope and answers it. Never throws: every command is answered, with its committed outcome or with
 * `overloaded`. What would make strangers wait follows outside of the envelope: commands on rows held elsewhere, and
 * those that travel alone.
 * @param redelivered whether another worker may have begun it before
 */
export async function processEnvelope(
  context: EnvelopeContext,
  envelope: Envelope,
  redelivered: boolean,
): Promise<void> {
  const pending = envelope.commands.map(
    (command): Pending => ({ command, envelope, repeat: redelivered, inDoubt: false }),
  );
  const isAlone = ({ command }: Pending) => handlerOf(command.name).alone === true;
  const turnedAway = pending.filter(
    (one) => isAlone(one) && !context.lane.enter(one.command.userId, () => carryOutAlone(context, one)),
  );
  const { replies, locked } = await carryOut(
    context,
    pending.filter((one) => !isAlone(one)),
  );
  turnedAway.push(...context.deferred.add(locked));
  await context.reply(envelope, [
    ...replies.map(([, reply]) => reply),
    ...turnedAway.map((one) => overloaded(one)),
  ]);
}

async function carryOutAlone(context: EnvelopeContext, one: Pending): Promise<void> {
  const { replies } = await attempt(context, [one], true);
  const answered = replies.map(([, reply]) => reply);
  const { followUp } = handlerOf(one.command.name);
  const done = answered.every(({ outcome }) => "body" in outcome);
  try {
    if (followUp && done) await followUp(context.pool, one.command.userId);
    await context.reply(one.envelope, answered);
  } catch (error) {
    context.log.warn({ command: one.command.name, reason: String(error) }, "command not finished");
    await context.reply(one.envelope, [overloaded({ ...one, inDoubt: true })]);
  }
}

/** One transaction for all, in which nobody waits for rows that are held elsewhere. */
export const carryOut = (context: EnvelopeContext, pending: readonly Pending[]): Promise<Settled> =>
  attempt(context, pending, false);

const maxTries = 3;

/**
 * Tries again where that can succeed: after a lost connection, a duplicate, a deadlock. When PostgreSQL or a handler
 * refuses the transaction, each half has one of its own, until the culprit is alone: so it spoils none of the others.
 */
async function attempt(
  context: EnvelopeContext,
  pending: readonly Pending[],
  wait: boolean,
  tries = 1,
): Promise<Settled> {
  if (pending.length === 0) return { replies: [], locked: [] };
  try {
    return settle(pending, await fold(context, pending, wait));
  } catch (error) {
    const failure =
      error instanceof TransactionFailed ? error : new TransactionFailed(error, "handler", false);
    const again = pending.map((one) => ({ ...one, repeat: true, inDoubt: one.inDoubt || failure.inDoubt }));
    if (failure.by !== "outage" && pending.length > 1) return inHalves(context, again, wait);
    if (!wait && isHeld(failure)) return { replies: [], locked: again };
    if (tries < maxTries && (failure.by === "outage" ? tries === 1 : isPassing(failure)))
      return attempt(context, again, wait, tries + 1);
    if (!isHeld(failure)) report(context, again, failure);
    return { replies: again.map((one) => [one, failed(one, failure)]), locked: [] };
  }
}

async function inHalves(
  context: EnvelopeContext,
  pending: readonly Pending[],
  wait: boolean,
): Promise<Settled> {
  const middle = Math.ceil(pending.length / 2);
  const one = await attempt(context, pending.slice(0, middle), wait);
  const other = await attempt(context, pending.slice(middle), wait);
  return { replies: [...one.replies, ...other.replies], locked: [...one.locked, ...other.locked] };
}

function settle(pending: readonly Pending[], { replies, locked }: Folded): Settled {
  const answered = pending.filter(({ command }) => !locked.has(command));
  return {
    replies: answered.map((one, index) => {
      const reply = replies[index];
      if (!reply) throw new Error("A command was not answered.");
      const late = "refusal" in reply.outcome && reply.outcome.refusal.code === "overloaded";
      return [one, late && one.inDoubt ? overloaded(one) : reply];
    }),
    locked: pending.filter(({ command }) => locked.has(command)),
  };
}

const codeOf = ({ by, cause }: TransactionFailed): string =>
  by === "database" ? (cause as { code: string }).code : "";

/** A concurrent duplicate, a target that just went, no partition yet, serialization, deadlock. */
const isPassing = (failure: TransactionFailed): boolean =>
  ["23505", "23503", "23514", "40001", "40P01"].includes(codeOf(failure));

/** Something else than a row that is asked for was held longer than the connection's patience. */
const isHeld = (failure: TransactionFailed): boolean => codeOf(failure) === "55P03";

/** A fault is of one command; an outage is one line for all of them. */
function report({ log }: EnvelopeContext, pending: readonly Pending[], failure: TransactionFailed): void {
  const reason = failure.cause instanceof Error ? failure.cause.message : String(failure.cause);
  if (failure.by === "outage") log.warn({ commands: pending.length, reason }, "database unavailable");
  else
    for (const { command } of pending)
      log.error({ command: command.name, id: command.id, reason }, "command failed");
}

function failed(one: Pending, failure: TransactionFailed): Reply {
  if (one.inDoubt || failure.by === "outage" || isHeld(failure) || isPassing(failure)) return overloaded(one);
  return { ticket: one.command.ticket, outcome: fault, replayed: false };
}

const fault: Outcome = refuse(
  "internal",
  "This request failed because of a fault of the service; nothing was changed.",
  { applied: "no" },
);

/** After a try that may have been applied, only a stored reply tells what became of the command. */
const overloaded = ({ command, inDoubt }: { command: QueuedCommand; inDoubt: boolean }): Reply => ({
  ticket: command.ticket,
  outcome: unwritten(inDoubt ? "unknown" : "no"),
  replayed: false,
});
