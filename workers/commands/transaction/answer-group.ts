import type { Today } from "../../../shared/domain/day/day.ts";
import { isRefused } from "../../../shared/errors.ts";
import { createGiveWay, mapGivingWay } from "../../../shared/process/give-way.ts";
import type { QueuedCommand, Reply } from "../../../shared/queue/batch.ts";
import { answeredId, failedDependency, missingDependency } from "../../../shared/queue/group-end.ts";
import { rollBack } from "../../unit-of-work/state.ts";
import type { Answered, CommandToRun } from "../received.ts";
import { answerOne, finishReply, store } from "./answer.ts";
import type { RunningGroup } from "./group.ts";
import { contextOf } from "./handler-context.ts";
import { addChanges } from "./preview.ts";
import { type RunningTransaction, replayOf, replyTo } from "./replay.ts";

/**
 * Runs the operations of a group in order. Others run in between, because fifty may take a tenth of a second.
 * @returns undefined if a repeat has made another id than the one to which later operations refer
 */
export async function answerInGroup<Work extends CommandToRun>(
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
  const answer = () => answerOne(transaction, command);
  const answerNow = () => (command.preview ? addChanges(transaction, command, answer) : answer());
  const reply = missing ? replyTo(command, missing) : answerNow();
  ended.set(command.ticket, reply.outcome);
  return reply;
}

/** In an atomic group, a stored refusal decides before anything runs, so a repeat gets the first answer. */
async function answerTogether<Work extends CommandToRun>(
  transaction: RunningTransaction,
  group: RunningGroup,
  work: readonly Work[],
): Promise<Answered<Work>> {
  const count = transaction.state.changes.length;
  const restoreQuotas = transaction.newRows.checkpoint();
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
  rollBack(transaction.state, count);
  restoreQuotas();
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
  store(transaction, command, outcome, today);
}
