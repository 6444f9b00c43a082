import type { Today } from "../../../shared/domain/day/day.ts";
import { isRefused } from "../../../shared/errors.ts";
import { createGiveWay, mapGivingWay } from "../../../shared/process/give-way.ts";
import {
  answeredId,
  failedDependency,
  missingDependency,
  type QueuedCommand,
  type Reply,
} from "../../../shared/queue/batch.ts";
import { type QueuedOperation, resolved } from "../../../shared/queue/group.ts";
import { parseReply } from "../../../shared/queue/stored-reply.ts";
import { handlers } from "../../handlers/index.ts";
import type { Queryable } from "../../unit-of-work/connection.ts";
import { emptyState, load, ownRows } from "../../unit-of-work/state.ts";
import type { Answered, CommandToRun, RunningGroup } from "../received.ts";
import {
  type Answers,
  answerOne,
  closing,
  finishReply,
  type RunningTransaction,
  replayOf,
  replyTo,
  store,
} from "./answer.ts";
import { type BeginContext, begin, storedReplyRows } from "./begin.ts";
import { type AnswerContext, contextOf, discarding } from "./handler-context.ts";
import { addChanges } from "./preview.ts";
import { underRules } from "./rules.ts";

/**
 * Runs the operations of a group in order. Others run in between, because fifty may take a tenth of a second.
 * @returns undefined if a repeat has made another id than the one to which later operations refer
 */
async function answerInGroup<Work extends CommandToRun>(
  transaction: RunningTransaction,
  group: RunningGroup,
  work: readonly Work[],
): Promise<Answered<Work> | undefined> {
  // This check comes before any operation runs: with another id, a reference would look like another request under
  // its key.
  const isStale = ({ command }: Work): boolean => {
    const [made, known] = [
      answeredId(replayOf(transaction, command)?.outcome),
      transaction.newIds?.get(command.id),
    ];
    return made !== undefined && known !== undefined && made !== known;
  };
  if (work.some(isStale)) return undefined;
  return group.atomic
    ? answerTogether(transaction, group, work)
    : mapGivingWay(work, (one) => [one, answerNext(transaction, group, one.command)] as const);
}

function answerNext(
  transaction: RunningTransaction,
  { operations, ended }: RunningGroup,
  command: QueuedCommand,
): Reply {
  const operation = operations.get(command.ticket);
  const missing = operation && missingDependency(operation, ended);
  const reply = missing
    ? replyTo(command, missing)
    : addChanges(transaction, command, () => answerOne(transaction, command));
  ended.set(command.ticket, reply.outcome);
  return reply;
}

/** In an atomic group, a stored refusal decides before anything runs, so a repeat gets the first answer. */
async function answerTogether<Work extends CommandToRun>(
  transaction: RunningTransaction,
  group: RunningGroup,
  work: readonly Work[],
): Promise<Answered<Work>> {
  const discard = discarding(transaction);
  const answered: [Work, Reply][] = [];
  let failed = work.map(({ command }) => replayOf(transaction, command)).find(hasFailed);
  const giveWay = createGiveWay();
  for (const one of work) {
    if (failed) break;
    await giveWay();
    const reply = answerNext(transaction, group, one.command);
    answered.push([one, reply]);
    if (hasFailed(reply)) failed = reply;
  }
  if (!failed) return answered;
  const failure = failed;
  discard();
  const culprit = work.find(({ command }) => command.ticket === failure.ticket)?.command;
  if (culprit) {
    const context = contextOf(transaction, culprit);
    storeFailure(transaction, group, culprit, failure, context.today);
    finishReply(context, culprit, failure);
  }
  const others = failedDependency(failure.ticket);
  return work.map((one) => [one, one.command === culprit ? failure : replyTo(one.command, others)]);
}

const hasFailed = (reply: Reply | undefined): boolean => reply !== undefined && isRefused(reply.outcome);

/** Does not store failures that refer to an id that was rolled back. */
function storeFailure(
  transaction: RunningTransaction,
  { operations }: RunningGroup,
  command: QueuedCommand,
  { outcome }: Reply,
  today: Today,
): void {
  const refersToGone = Object.keys(operations.get(command.ticket)?.references ?? {}).length > 0;
  const isPassing = isRefused(outcome) && ["overloaded", "unauthenticated"].includes(outcome.refusal.code);
  if (isPassing || (refersToGone && command.fingerprint !== null) || replayOf(transaction, command)) return;
  store(transaction, command, outcome, { today });
}

/**
 * Begins a transaction and runs operations of a group in it: all of them, or none if a row is locked elsewhere,
 * because a later operation must not overtake an earlier one.
 */
export async function answerOperations<Work extends CommandToRun>(
  context: BeginContext & AnswerContext,
  connection: Queryable,
  work: readonly Work[],
  group: RunningGroup,
  isStep = false,
): Promise<Answers<Work>> {
  const newIds = await idsOfMade(connection, context, work, group);
  const known = work.map((one) => withIds(one, group, newIds));
  const begun = await begin(context, connection, known, isStep ? "wait" : "skip", isStep);
  const transaction = { context, ...begun, newIds };
  const [first, ...others] = known;
  if (!first || begun.lockedElsewhere.size > 0) return { begun, replies: undefined, lockedElsewhere: work };
  const judged = underRules(transaction, [first, ...others], { group, close: closing(transaction) });
  const discard = first.command.preview ? discarding(begun) : undefined;
  const answered = await answerInGroup(transaction, group, known);
  discard?.();
  const replies = answered && judged(answered);
  return { begun, replies, lockedElsewhere: replies ? [] : work };
}

/**
 * Finds the ids of new rows to which other operations refer: ids of stored replies, else new ones. So all inputs
 * are known before rows are loaded, and ids grow in the order of the operations.
 * @returns the ids by command
 */
async function idsOfMade(
  connection: Queryable,
  { tables, openNewRows }: BeginContext,
  work: readonly CommandToRun[],
  { operations }: RunningGroup,
): Promise<ReadonlyMap<string, number>> {
  const all = [...operations.values()];
  const [userId] = work.map(({ command }) => command.userId);
  if (userId === undefined || !all.some(hasReferences)) return new Map();
  const makers = all.flatMap(({ id, name }) => {
    const { makes: table } = handlers[name];
    return table ? [{ userId, id, name, table }] : [];
  });
  const state = emptyState(tables);
  const stored = makers.flatMap(storedReplyRows);
  await load(connection, state, stored, "skip");
  const newIds = new Map<string, number>();
  for (const { command_id, reply } of ownRows(state, "inbox", userId).all()) {
    const id = answeredId(parseReply(reply));
    if (id !== undefined) newIds.set(command_id, id);
  }
  const unmade = makers.filter(({ id }) => !newIds.has(id));
  const newRows = openNewRows();
  await newRows.reserve(connection, unmade);
  for (const { id, table } of unmade) newIds.set(id, newRows.nextId(table));
  return newIds;
}

const hasReferences = ({ references }: QueuedOperation): boolean => Object.keys(references).length > 0;

function withIds<Work extends CommandToRun>(
  one: Work,
  { operations }: RunningGroup,
  newIds: ReadonlyMap<string, number>,
): Work {
  const { command } = one;
  const operation = operations.get(command.ticket);
  const numbered = { ...one, hasId: newIds.has(command.id) };
  if (!operation || !hasReferences(operation)) return numbered;
  const { input, fingerprint } = resolved(operation, (index) => {
    const id = newIds.get(operations.get(index)?.id ?? "");
    if (id === undefined) throw new Error(`Operation ${index} makes nothing that another can refer to.`);
    return id;
  });
  return { ...numbered, command: { ...command, input, fingerprint } };
}
