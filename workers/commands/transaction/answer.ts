import { type CommandName, commands as contracts } from "../../../shared/contracts/catalogue.ts";
import { type RowChange, shareTexts } from "../../../shared/domain/action/images.ts";
import type { Today } from "../../../shared/domain/day/day.ts";
import { entityTag, failedPrecondition, type Preconditions } from "../../../shared/domain/preconditions.ts";
import {
  isRefused,
  preconditionFailed,
  type RefusalCode,
  type Refused,
  refuse,
  unavailable,
} from "../../../shared/errors.ts";
import { isToolCall, type Outcome, type QueuedCommand, type Reply } from "../../../shared/queue/batch.ts";
import { replayStored } from "../../../shared/queue/stored-reply.ts";
import { logAction } from "../../handlers/action/action-log.ts";
import type { AnyHandler, HandlerContext } from "../../handlers/handler.ts";
import { handlers } from "../../handlers/index.ts";
import { addEvents } from "../../handlers/journal.ts";
import { type Queryable, timeOfUuid, trustedTime } from "../../unit-of-work/connection.ts";
import { type OnLocked, ownRows, rowChanges } from "../../unit-of-work/state.ts";
import type { Answered, CommandToRun } from "../received.ts";
import { type BeginContext, type Begun, begin } from "./begin.ts";
import { type AnswerContext, contextOf, dayOf, discarding, type SharedContext } from "./handler-context.ts";
import { addChanges } from "./preview.ts";
import { underRules } from "./rules.ts";

export type Answers<Work> = Readonly<{
  begun: Begun;
  /** Undefined if the transaction must be rolled back. */
  replies: Answered<Work> | undefined;
  /**
   * Commands on rows or keys that another transaction has locked, and all later ones of their users. None of them
   * ran.
   */
  lockedElsewhere: readonly Work[];
}>;

/** Begins a transaction and runs commands in it, in their order. */
export async function answerEach<Work extends CommandToRun>(
  context: BeginContext & AnswerContext,
  connection: Queryable,
  work: readonly Work[],
  onLocked: OnLocked,
  isStep = false,
): Promise<Answers<Work>> {
  const begun = await begin(context, connection, work, onLocked, isStep);
  const transaction = { context, ...begun };
  const isLocked = ({ command }: Work) => begun.lockedElsewhere.has(command);
  const free = work.filter((one) => !isLocked(one));
  const run = (one: Work) => [one, answerOrPreview(transaction, one.command)] as const;
  const replies = begun.times.hasRules ? answerRuled(transaction, free, run) : free.map(run);
  return { begun, replies, lockedElsewhere: work.filter(isLocked) };
}

function answerOrPreview(transaction: RunningTransaction, command: QueuedCommand): Reply {
  if (!command.preview) return answerOne(transaction, command);
  const discard = discarding(transaction);
  const reply = addChanges(transaction, command, () => answerOne(transaction, command));
  discard();
  return reply;
}

const answerRuled = <Work extends CommandToRun>(
  transaction: RunningTransaction,
  work: readonly Work[],
  run: (one: Work) => Answered<Work>[number],
): Answered<Work> =>
  work.flatMap((one) => {
    const judged = underRules(transaction, [one], { close: closing(transaction) });
    return judged([run(one)]);
  });

/** Runs one command, and logs it as an action of its caller. */
export function answerOne(transaction: RunningTransaction, command: QueuedCommand): Reply {
  const isDeleted = transaction.times.users.get(command.userId)?.deleted === true;
  // Deleting the account again is allowed, since the first deletion may have broken off.
  if (isDeleted && !handlers[command.name].followUp) return replyTo(command, accountDeleted);
  const context = contextOf(transaction, command);
  const isFirst =
    command.fingerprint === null && !transaction.repeats.has(command) && !transaction.late.has(command);
  const known = isFirst ? undefined : (replayOf(transaction, command) ?? lateReply(transaction, command));
  return finishReply(context, command, known ?? answer(transaction, context, command));
}

const longestFormer = 300;

/** The titles, descriptions and notes that changes replaced. */
function wordsReplaced(changes: readonly RowChange[]): Reply["former"] {
  const replaced = changes.flatMap(replacedIn);
  return replaced.length > 0 ? Object.fromEntries(replaced) : undefined;
}

function replacedIn({ key, before, after }: RowChange): readonly [string, Record<string, string>][] {
  if (!before || !after) return [];
  const left: Readonly<Record<string, unknown>> = { ...after };
  const words = Object.entries(before).flatMap(([field, old]: [string, unknown]) => {
    const isWords = field in left && ["title", "name", "description", "note"].includes(field);
    if (!isWords || typeof old !== "string" || old === left[field]) return [];
    // A note stands below the words, which stay.
    if (String(left[field]).startsWith(`${old}\n`)) return [];
    return [[field, old.length > longestFormer ? `${old.slice(0, longestFormer).toWellFormed()}…` : old]];
  });
  return words.length > 0 ? [[key.join(" "), Object.fromEntries(words)]] : [];
}

/** Ends commands that are not carried out, with an outcome that a repeat gets as well. */
export const closing =
  (transaction: RunningTransaction) =>
  (command: QueuedCommand, outcome: Outcome): Reply => {
    const context = contextOf(transaction, command);
    store(transaction, command, outcome, { today: context.today });
    return finishReply(context, command, replyTo(command, outcome));
  };

/**
 * Logs a reply, unless its command is retried at once in a smaller transaction.
 * @returns the reply to a tool call with the user's day; a replay has that of the first run
 */
export function finishReply(context: HandlerContext, command: QueuedCommand, reply: Reply): Reply {
  if (!isRefusedAs("overloaded", reply.outcome)) logAction(context, command, reply);
  const statesDay = isToolCall(command.call) || command.name === "action.record";
  return statesDay ? { today: context.today, ...reply } : reply;
}

const isRefusedAs = (code: RefusalCode, outcome: Outcome): boolean =>
  "refusal" in outcome && outcome.refusal.code === code;

const accountDeleted = refuse("unauthenticated", "The account of this access token was deleted.");

function answer(transaction: RunningTransaction, context: HandlerContext, command: QueuedCommand): Reply {
  const handler: AnyHandler = handlers[command.name];
  const count = transaction.state.changes.length;
  const result =
    (command.preconditions && checkPreconditions(handler, context, command.preconditions, command.input)) ??
    (handler.stores && context.refuseFull(handler.stores)) ??
    handler.run(context, command.input);
  const outcome: Outcome = isRefused(result) ? result : { body: result };
  if (contracts[command.name].events && !isRefused(result)) addEvents(context, command);
  const former = isToolCall(command.call) ? wordsReplaced(rowChanges(transaction.state, count)) : undefined;
  store(transaction, command, outcome, { today: context.today, former });
  return { ticket: command.ticket, outcome, replayed: false, ...(former && { former }) };
}

/** Refuses a command whose caller saw another state of the resource than the locked row has. */
function checkPreconditions(
  handler: AnyHandler,
  context: HandlerContext,
  preconditions: Preconditions,
  input: unknown,
): Refused | undefined {
  const resource = handler.current ? handler.current(context, input) : null;
  if (resource === undefined) return undefined;
  const failed = failedPrecondition(preconditions, resource && entityTag(JSON.stringify(resource)));
  return failed && preconditionFailed(failed);
}

type Facts = Readonly<{ today: Today; former?: Reply["former"] }>;

/** Stores the reply of a command, if a repeat should get the same one. */
export function store(
  transaction: RunningTransaction,
  command: QueuedCommand,
  outcome: Outcome,
  facts: Facts,
): void {
  if (!isStored(handlers[command.name], command, outcome)) return;
  ownRows(transaction.state, "inbox", command.userId).insert(inboxRow(transaction, command, outcome, facts));
}

/** Longer replies count towards what an account may store in an hour (UTF-16 units). */
const longFrom = 4_096;

const correctable: readonly RefusalCode[] = ["invalid", "precondition_failed", "quota", "token_limit"];

/** A refusal that the caller can correct is not stored, so that the corrected request may use the key. */
function isStored({ idempotent }: AnyHandler, { fingerprint }: QueuedCommand, outcome: Outcome): boolean {
  const isCorrectable = correctable.some((code) => isRefusedAs(code, outcome));
  return !idempotent && (fingerprint === null || !isCorrectable);
}

function inboxRow(
  { context, times }: RunningTransaction,
  { id, userId, name, fingerprint, preview }: QueuedCommand,
  outcome: Outcome,
  { today, former }: Facts,
) {
  const keyed = fingerprint !== null;
  const kept = { ...withoutSecret(name, outcome), ...(keyed && { today }), ...(former && { former }) };
  const json = JSON.stringify(kept);
  if (json.length > longFrom && !preview) context.accountBytes.noteLong(userId, json.length);
  return {
    command_id: id,
    fingerprint: fingerprint ?? "",
    // Only replies with a key stay long enough to be made shorter.
    reply: keyed ? shareTexts(kept, json) : json,
    keyed,
    created_at: keyed ? times.now : trustedTime(timeOfUuid(id), times),
  };
}

/** The outcome as it is kept: a secret is in the first answer alone. */
export function withoutSecret(name: CommandName, outcome: Outcome): Outcome {
  const { secretField } = contracts[name];
  if (secretField === undefined || !("body" in outcome)) return outcome;
  return { body: Object.assign({}, outcome.body, { [secretField]: null }) };
}

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
function lateReply({ late, isAfterWork }: RunningTransaction, command: QueuedCommand): Reply | undefined {
  const applied = late.get(command);
  return applied && replyTo(command, isAfterWork && applied === "no" ? afterWork : unavailable(applied));
}
