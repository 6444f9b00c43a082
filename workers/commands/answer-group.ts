import type { Today } from "../../shared/domain/today.ts";
import { isRefused } from "../../shared/errors.ts";
import type { QueuedCommand, Reply } from "../../shared/queue/batch.ts";
import { answeredId, failedDependency, missingDependency } from "../../shared/queue/group-end.ts";
import { rollBack } from "../unit-of-work/state.ts";
import { answerOne, logReply, replayOf, replyTo, store } from "./answer.ts";
import type { RunningGroup } from "./group.ts";
import { contextOf, type Run } from "./handler-context.ts";

/**
 * Runs the operations of a group in order.
 * @returns undefined when one is a repeat and made something under another id than the others refer to by now
 */
export function answerGroup(
  run: Run,
  group: RunningGroup,
  commands: readonly QueuedCommand[],
): Reply[] | undefined {
  // Looked at before any is run: what refers to another id would seem to be another request under its key.
  const isStale = (command: QueuedCommand): boolean => {
    const [made, known] = [answeredId(replayOf(run, command)?.outcome), run.newIds?.get(command.id)];
    return made !== undefined && known !== undefined && made !== known;
  };
  if (commands.some(isStale)) return undefined;
  return group.atomic ? answerTogether(run, group, commands) : answerInTurn(run, group, commands);
}

const answerInTurn = (run: Run, group: RunningGroup, commands: readonly QueuedCommand[]): Reply[] =>
  commands.map((command) => answerNext(run, group, command));

function answerNext(run: Run, { operations, ended }: RunningGroup, command: QueuedCommand): Reply {
  const operation = operations.get(command.ticket);
  const missing = operation && missingDependency(operation, ended);
  const reply = missing ? replyTo(command, missing) : answerOne(run, command);
  ended.set(command.ticket, reply.outcome);
  return reply;
}

/** All or none: a stored refusal decides before anything is run, so that a repeat is answered like the first time. */
function answerTogether(run: Run, group: RunningGroup, commands: readonly QueuedCommand[]): Reply[] {
  const count = run.state.changes.length;
  const restoreQuotas = run.quotaUses.checkpoint();
  const replies: Reply[] = [];
  let failed = commands.map((command) => replayOf(run, command)).find(hasFailed);
  for (const command of commands) {
    if (failed) break;
    const reply = answerNext(run, group, command);
    replies.push(reply);
    if (hasFailed(reply)) failed = reply;
  }
  if (!failed) return replies;
  rollBack(run.state, count);
  restoreQuotas();
  const { ticket } = failed;
  for (const command of commands) {
    if (command.ticket !== ticket) continue;
    const context = contextOf(run, command);
    storeFailure(run, group, command, failed, context.today);
    logReply(context, command, failed);
  }
  return commands.map((command) =>
    command.ticket === ticket && failed ? failed : replyTo(command, failedDependency(ticket)),
  );
}

const hasFailed = (reply: Reply | undefined): boolean => reply !== undefined && isRefused(reply.outcome);

/** Why an operation on something that was not made after all failed is worth nothing under a key: the id is gone. */
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
