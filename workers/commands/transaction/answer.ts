import type { Today } from "../../../shared/domain/day/today.ts";
import { entityTag, failedPrecondition } from "../../../shared/domain/preconditions.ts";
import {
  isRefused,
  preconditionFailed,
  type RefusalCode,
  type Refused,
  refuse,
  unavailable,
} from "../../../shared/errors.ts";
import { isToolCall, type Outcome, type QueuedCommand, type Reply } from "../../../shared/queue/batch.ts";
import { replayStored, storedReplyOf } from "../../../shared/queue/stored-reply.ts";
import { logAction } from "../../handlers/action/action-log.ts";
import type { AnyHandler, HandlerContext } from "../../handlers/handler.ts";
import { handlerOf } from "../../handlers/index.ts";
import { trustedTime } from "../../unit-of-work/batch-times.ts";
import { ownRows } from "../../unit-of-work/state.ts";
import { timeOfUuid } from "../../unit-of-work/uuid-time.ts";
import type { Begun } from "./begin.ts";
import { contextOf, dayOf, type SharedContext } from "./handler-context.ts";

/** A transaction under way. */
export type Run = Begun & SharedContext;

/** Runs one command, and logs it as the action of whoever sent it. */
export function answerOne(run: Run, command: QueuedCommand): Reply {
  const handler = handlerOf(command.name);
  // Deleting the account again is allowed, since the first deletion may have broken off.
  const isAllowed = handler.followUp !== undefined || !run.times.users.get(command.userId)?.deleted;
  if (!isAllowed) return replyTo(command, accountDeleted);
  const context = contextOf(run, command);
  const reply = replayOf(run, command) ?? lateReply(run, command) ?? answer(run, handler, context, command);
  logReply(context, command, reply);
  return statesDay(command) ? { ...reply, today: reply.today ?? context.today } : reply;
}

/** What is tried again at once, in smaller parts, has not ended yet. */
export function logReply(context: HandlerContext, command: QueuedCommand, reply: Reply): void {
  if (!isRefusedAs("overloaded", reply.outcome)) logAction(context, command, reply);
}

/** A tool call's answer states the user's day: that of the first run, when it repeats an earlier call. */
const statesDay = ({ call, name }: QueuedCommand): boolean => isToolCall(call) || name === "action.record";

export const replyTo = ({ ticket }: QueuedCommand, outcome: Outcome, replayed = false): Reply => ({
  ticket,
  outcome,
  replayed,
});

const isRefusedAs = (code: RefusalCode, outcome: Outcome): boolean =>
  "refusal" in outcome && outcome.refusal.code === code;

const accountDeleted = refuse("unauthenticated", "The account of this access token was deleted.");

const afterWork = refuse("overloaded", "Something that you asked for before is still under way.", {
  next: "Please try again in a moment.",
  applied: "no",
  retryAfterSeconds: 2,
});

function lateReply({ late, isAfterWork }: Run, command: QueuedCommand): Reply | undefined {
  const applied = late.get(command);
  return applied && replyTo(command, isAfterWork && applied === "no" ? afterWork : unavailable(applied));
}

/** Runs the handler, and stores its answer. */
function answer(run: Run, handler: AnyHandler, context: HandlerContext, command: QueuedCommand): Reply {
  const result =
    checkPreconditions(handler, context, command) ??
    run.context.ledger.refusal(command.userId, handler.stores, run.times.nowMs) ??
    handler.run(context, command.input);
  const outcome: Outcome = isRefused(result) ? result : { body: result };
  store(run, command, outcome, context.today);
  return replyTo(command, outcome);
}

/** Refuses a command whose caller has seen another state of the resource than the locked rows have. */
function checkPreconditions(
  handler: AnyHandler,
  context: HandlerContext,
  { preconditions, input }: QueuedCommand,
): Refused | undefined {
  if (!preconditions) return undefined;
  const resource = handler.current ? handler.current(context, input) : null;
  if (resource === undefined) return undefined;
  const failed = failedPrecondition(preconditions, resource && entityTag(JSON.stringify(resource)));
  return failed && preconditionFailed(failed);
}

/** @returns the stored reply of a command seen before, which is a refusal where its key was that of another request */
export function replayOf(run: Run, command: QueuedCommand): Reply | undefined {
  const { name, userId, id, fingerprint } = command;
  const mayBeSeen = fingerprint !== null || run.repeats.has(command) || run.late.has(command);
  if (!mayBeSeen) return undefined;
  const seen = handlerOf(name).idempotent ? undefined : ownRows(run.state, "inbox", userId).get(id);
  if (!seen) return loggedReply(run, command);
  const { outcome, today, isSame } = replayStored(seen, command, () => dayOf(run, command).today.date);
  return { ...replyTo(command, outcome, isSame), ...(today && { today }) };
}

/** Of a command whose reply was not stored: it was run, and its caller reads what it changed. */
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

/** Stores the reply of a command, as far as a repeat is to get the same one. */
export function store(run: Run, command: QueuedCommand, outcome: Outcome, today: Today): void {
  if (showsInLog(run, command, outcome) || !isStored(handlerOf(command.name), command, outcome)) return;
  ownRows(run.state, "inbox", command.userId).insert(inboxRow(run, command, outcome, today));
}

const correctable: readonly RefusalCode[] = ["invalid", "precondition_failed", "quota"];

/** What a caller corrects and sends again is not stored with its idempotency key, which the next try may use. */
function isStored({ idempotent }: AnyHandler, { fingerprint }: QueuedCommand, outcome: Outcome): boolean {
  const isCorrectable = correctable.some((code) => isRefusedAs(code, outcome));
  return !idempotent && (fingerprint === null || !isCorrectable);
}

/** A repeat finds the row of the log by the time that the front door noted, if PostgreSQL took that. */
const showsInLog = ({ times }: Run, { readsAgain, call }: QueuedCommand, outcome: Outcome): boolean =>
  readsAgain === true &&
  call !== undefined &&
  "body" in outcome &&
  trustedTime(call.startedAt, times) !== times.now;

function inboxRow({ times }: Run, { id, fingerprint }: QueuedCommand, outcome: Outcome, today: Today) {
  const keyed = fingerprint !== null;
  return {
    command_id: id,
    fingerprint: fingerprint ?? "",
    reply: storedReplyOf(outcome, keyed ? today : undefined),
    keyed,
    created_at: keyed ? times.now : trustedTime(timeOfUuid(id), times),
  };
}
