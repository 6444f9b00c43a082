import { refuse, unavailable } from "../../../shared/errors.ts";
import type { Outcome, QueuedCommand, Reply } from "../../../shared/queue/batch.ts";
import { replayStored } from "../../../shared/queue/stored-reply.ts";
import { handlerOf } from "../../handlers/index.ts";
import { ownRows } from "../../unit-of-work/state.ts";
import type { Begun } from "./begin.ts";
import { dayOf, type SharedContext } from "./handler-context.ts";

/** A transaction under way. */
export type Run = Begun & SharedContext;

export const replyTo = ({ ticket }: QueuedCommand, outcome: Outcome, replayed = false): Reply => ({
  ticket,
  outcome,
  replayed,
});

/** @returns the stored reply of a command seen before, which is a refusal where its key was that of another request */
export function replayOf(run: Run, command: QueuedCommand): Reply | undefined {
  const { name, userId, id } = command;
  const seen = handlerOf(name).idempotent ? undefined : ownRows(run.state, "inbox", userId).get(id);
  if (!seen) return loggedReply(run, command);
  const { outcome, today, isSame } = replayStored(seen, command, () => dayOf(run, command).today.date);
  return { ...replyTo(command, outcome, isSame), ...(today && { today }) };
}

/** The reply to a command that ran without storing one: its caller reads what it changed. */
function loggedReply({ state }: Run, command: QueuedCommand): Reply | undefined {
  const { userId, call, readsAgain } = command;
  if (!readsAgain) return undefined;
  const action = ownRows(state, "action_log", userId)
    .all()
    .find(({ request_id }) => request_id === call?.requestId);
  if (!action) return undefined;
  const { outcome, resource_id } = action;
  const reply = replyTo(command, unavailable("unknown"), true);
  return outcome === "ok" && resource_id != null ? { ...reply, changedId: resource_id } : reply;
}

const afterWork = refuse("overloaded", "Something that you asked for before is still under way.", {
  next: "Please try again in a moment.",
  applied: "no",
  retryAfterSeconds: 2,
});

/** @returns the reply to a command that comes too late to be run */
export function lateReply({ late, isAfterWork }: Run, command: QueuedCommand): Reply | undefined {
  const applied = late.get(command);
  return applied && replyTo(command, isAfterWork && applied === "no" ? afterWork : unavailable(applied));
}
