import { refuse, unavailable } from "../../shared/errors.ts";
import type { Log } from "../../shared/process/log.ts";
import type { Outcome, Reply } from "../../shared/queue/batch.ts";
import type { ReceivedBatch } from "./command-metrics.ts";
import { type Folded, fold, type TransactionContext, TransactionFailed, type Work } from "./transaction.ts";

/** A command on its way to its reply. */
export type Pending = Work &
  Readonly<{
    /** Where its reply goes. */
    batch: ReceivedBatch;
    /** Whether an earlier try of this worker may have been applied. */
    inDoubt: boolean;
  }>;

/** What became of some commands. */
export type Settled = Readonly<{
  replies: readonly (readonly [Pending, Reply])[];
  /** Held elsewhere, and worth another try. */
  locked: readonly Pending[];
}>;

export type AttemptContext = TransactionContext & Readonly<{ log: Log }>;

const maxTries = 3;

/**
 * Tries again where that can succeed: after a lost connection, a duplicate, a deadlock. When PostgreSQL or a handler
 * refuses the transaction, each half has one of its own, until the culprit is alone: so it spoils none of the others.
 */
export async function attempt(
  context: AttemptContext,
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
  context: AttemptContext,
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
function report({ log }: AttemptContext, pending: readonly Pending[], failure: TransactionFailed): void {
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
export const overloaded = ({ command, inDoubt }: Pick<Pending, "command" | "inDoubt">): Reply => ({
  ticket: command.ticket,
  outcome: unavailable(inDoubt ? "unknown" : "no"),
  replayed: false,
});
