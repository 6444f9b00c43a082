import { refuse, unavailable } from "../../../shared/errors.ts";
import type { Outcome, QueuedCommand, Reply } from "../../../shared/queue/batch.ts";
import { replayStored } from "../../../shared/queue/stored-reply.ts";
import { handlers } from "../../handlers/index.ts";
import { ownRows } from "../../unit-of-work/state.ts";
import type { Begun } from "./begin.ts";
import { dayOf, type SharedContext } from "./handler-context.ts";

/** A transaction that is under way. */
export type RunningTransaction = Begun & SharedContext;

export const replyTo = ({ ticket }: QueuedCommand, outcome: Outcome, replayed = false): Reply => ({
  ticket,
  outcome,
  replayed,
});

/** @returns the stored reply of a known command; a refusal if its key belongs to another request */
export function replayOf(transaction: RunningTransaction, command: QueuedCommand): Reply | undefined {
  const { name, userId, id } = command;
  const seen = handlers[name].idempotent ? undefined : ownRows(transaction.state, "inbox", userId).get(id);
  if (!seen) return undefined;
  const { outcome, isSame, ...facts } = replayStored(
    seen,
    command,
    () => dayOf(transaction, command).today.date,
  );
  return { ...replyTo(command, outcome, isSame), ...facts };
}

const afterWork = refuse("overloaded", "Something that you asked for before is still under way.", {
  next: "Please try again in a moment.",
  applied: "no",
  retryAfterSeconds: 2,
});

/** @returns the reply to a command that is too late to run */
export function lateReply(
  { late, isAfterWork }: RunningTransaction,
  command: QueuedCommand,
): Reply | undefined {
  const applied = late.get(command);
  return applied && replyTo(command, isAfterWork && applied === "no" ? afterWork : unavailable(applied));
}
