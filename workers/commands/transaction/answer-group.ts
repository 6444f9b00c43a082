import type { Today } from "../../../shared/domain/day/today.ts";
import { isRefused } from "../../../shared/errors.ts";
import type { QueuedCommand, Reply } from "../../../shared/queue/batch.ts";
import { answeredId, failedDependency, missingDependency } from "../../../shared/queue/group-end.ts";
import { rollBack } from "../../unit-of-work/state.ts";
import type { CommandToRun } from "../received.ts";
import { type Answered, answerOne, logReply, store } from "./answer.ts";
import type { RunningGroup } from "./group.ts";
import { contextOf } from "./handler-context.ts";
import { type Run, replayOf, replyTo } from "./replay.ts";

/**
 * Runs the operations of a group in order.
 * @returns undefined when one is a repeat that made another id than the others now refer to
 */
export function answerGroup<Work extends CommandToRun>(
  run: Run,
  group: RunningGroup,
  work: readonly Work[],
): Answered<Work> | undefined {
  // This is checked before any runs: a reference to another id would look like another request under its key.
  const isStale = ({ command }: Work): boolean => {
    const [made, known] = [answeredId(replayOf(run, command)?.outcome), run.newIds?.get(command.id)];
    return made !== undefined && known !== undefined && made !== known;
  };
  if (work.some(isStale)) return undefined;
  return group.atomic
    ? answerTogether(run, group, work)
    : work.map((one) => [one, answerNext(run, group, one.command)]);
}

function answerNext(run: Run, { operations, ended }: RunningGroup, command: QueuedCommand): Reply {
  const operation = operations.get(command.ticket);
  const missing = operation && missingDependency(operation, ended);
  const reply = missing ? replyTo(command, missing) : answerOne(run, command);
  ended.set(command.ticket, reply.outcome);
  return reply;
}

/** All or none: a stored refusal decides before anything is run, so that a repeat is answered like the first time. */
function answerTogether<Work extends CommandToRun>(
  run: Run,
  group: RunningGroup,
  work: readonly Work[],
): Answered<Work> {
  const count = run.state.changes.length;
  const restoreQuotas = run.newRows.checkpoint();
  const answered: [Work, Reply][] = [];
  let failed = work.map(({ command }) => replayOf(run, command)).find(hasFailed);
  for (const one of work) {
    if (failed) break;
    const reply = answerNext(run, group, one.command);
    answered.push([one, reply]);
    if (hasFailed(reply)) failed = reply;
  }
  if (!failed) return answered;
  const failure = failed;
  rollBack(run.state, count);
  restoreQuotas();
  const culprit = work.find(({ command }) => command.ticket === failure.ticket)?.command;
  if (culprit) {
    const context = contextOf(run, culprit);
    storeFailure(run, group, culprit, failure, context.today);
    logReply(context, culprit, failure);
  }
  const others = failedDependency(failure.ticket);
  return work.map((one) => [one, one.command === culprit ? failure : replyTo(one.command, others)]);
}

const hasFailed = (reply: Reply | undefined): boolean => reply !== undefined && isRefused(reply.outcome);

/** Does not store failures that refer to an id that was rolled back. */
function storeFailure(
  run: Run,
  { operations }: RunningGroup,
  command: QueuedCommand,
  { outcome }: Reply,
  today: Today,
): void {
  const refersToGone = Object.keys(operations.get(command.ticket)?.references ?? {}).length > 0;
  const isPassing = isRefused(outcome) && ["overloaded", "unauthenticated"].includes(outcome.refusal.code);
  if (isPassing || (refersToGone && command.fingerprint !== null) || replayOf(run, command)) return;
  store(run, command, outcome, today);
}
