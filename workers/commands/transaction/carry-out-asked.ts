import type { ApprovalRow } from "../../../shared/db/entities.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import { isRefused } from "../../../shared/errors.ts";
import type { Outcome, QueuedCommand } from "../../../shared/queue/batch.ts";
import type { QueuedGroup } from "../../../shared/queue/group.ts";
import { restsOn } from "../../handlers/approval/effects.ts";
import type { AskedRequest } from "../../handlers/approval.ts";
import type { Queryable } from "../../unit-of-work/connection.ts";
import { rowChanges } from "../../unit-of-work/state.ts";
import { type Answers, answerEach } from "./answer.ts";
import type { BeginContext, Begun } from "./begin.ts";
import { openGroup, operationCommand, replyToGroup } from "./group.ts";
import type { AnswerContext } from "./handler-context.ts";
import { answerOperations } from "./operations.ts";

type Done = Readonly<{ begun: Begun; commands: readonly QueuedCommand[]; outcome: Outcome }>;

/**
 * Runs an approved request within a transaction that has begun, as its caller's act, and saves nothing yet.
 * @returns undefined if it is refused now, or a row that it changes is not as it was when it was asked for
 */
export async function runAsked(
  context: BeginContext & AnswerContext,
  connection: Queryable,
  approval: ApprovalRow,
): Promise<Done | undefined> {
  const command = commandOf(approval);
  const work = command.group
    ? command.group.operations.map((operation) => operationCommand({ command, repeat: false }, operation))
    : [{ command, repeat: false }];
  const { begun, replies = [] }: Answers<(typeof work)[number]> = command.group
    ? await answerOperations(context, connection, work, openGroup(command.group), true)
    : await answerEach(context, connection, work, "wait", true);
  if (replies.every(([, { outcome }]) => isRefused(outcome))) return undefined;
  if (restsOn(rowChanges(begun.state, 0)) !== approval.rests_on) return undefined;
  const { outcome } = command.group
    ? replyToGroup(command, replies)
    : (replies[0]?.[1] ?? { outcome: { body: null } });
  return { begun, outcome, commands: replies.map(([one]) => one.command) };
}

/** Its key belongs to the answer that it waits, so it runs without one. It was accepted once, so it is never late. */
function commandOf({ id, user_id: userId, request, decided_at, expires_at }: ApprovalRow): QueuedCommand {
  const { call, group, ...asked }: AskedRequest = JSON.parse(request);
  const startedAt = Date.parse(timestamp(decided_at ?? expires_at));
  return {
    ...{ ...asked, userId, ticket: 0, id: Bun.randomUUIDv7(), fingerprint: null },
    sentAt: Number.POSITIVE_INFINITY,
    ...(call && { call: { ...call, requestId: id, startedAt } }),
    ...(group && { group: withoutKeys(group) }),
  };
}

const withoutKeys = ({ atomic, operations }: QueuedGroup): QueuedGroup => ({
  atomic,
  operations: operations.map((one) => ({ ...one, id: Bun.randomUUIDv7(), fingerprint: null })),
});
