import type { ApprovalRow, WorkRow } from "../../../shared/db/entities.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import { isRefused } from "../../../shared/errors.ts";
import type { Outcome, QueuedCommand } from "../../../shared/queue/batch.ts";
import type { QueuedGroup } from "../../../shared/queue/group.ts";
import type { AskedRequest } from "../../handlers/approval.ts";
import type { Step, StepContext, Steps } from "../../handlers/handler.ts";
import { handlers } from "../../handlers/index.ts";
import type { Queryable } from "../../unit-of-work/connection.ts";
import { entriesOf, rowChanges, type State, save } from "../../unit-of-work/state.ts";
import { openGroup, operationCommand, replyToGroup } from "../received.ts";
import { type Answers, answerEach, withoutSecret } from "./answer.ts";
import { type BeginContext, type Begun, begin } from "./begin.ts";
import { type AnswerContext, contextOf } from "./handler-context.ts";
import { answerOperations } from "./operations.ts";
import { restsOn } from "./rules.ts";

type Done = Readonly<{ begun: Begun; commands: readonly QueuedCommand[]; outcome: Outcome }>;

/**
 * Runs an approved request within a transaction that has begun, as its caller's act, and saves nothing yet.
 * @returns undefined if it is refused now, or a row that it changes is not as it was when it was asked for
 */
async function runAsked(
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
  const kept = replies.map(([one, { outcome, ...reply }]) => {
    return [one, { ...reply, outcome: withoutSecret(one.command.name, outcome) }] as const;
  });
  const { outcome } = command.group
    ? replyToGroup(command, kept)
    : (kept[0]?.[1] ?? { outcome: { body: null } });
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

type CarryOutContext = BeginContext & AnswerContext;

/**
 * Carries out the first step of each long work that a transaction begins.
 * @returns the users of unfinished work
 */
export async function carryOutFirstSteps(
  context: CarryOutContext,
  connection: Queryable,
  state: State,
): Promise<string[]> {
  const goingOn: string[] = [];
  for (const { row } of entriesOf(state, "works").values()) {
    if (!row) continue;
    const first = await takeParts(context, connection, row);
    const { cursor } = first;
    const rest =
      cursor === null ? 0 : await stepsOf(row).left(stepContext(context, connection, { ...row, cursor }));
    if (cursor !== null || first.outcome) await insert(connection, row, first, first.done + rest);
    if (cursor !== null) goingOn.push(row.user_id);
  }
  return goingOn;
}

export async function carryOutStep(
  context: CarryOutContext,
  connection: Queryable,
  work: WorkRow,
): Promise<Step> {
  const step = await takeParts(context, connection, work);
  await connection.query(
    `update works set done = done + $3, cursor = $4, outcome = $5, tries = 0, ended_at = ${endOf("$4")}
     where user_id = $1 and id = $2`,
    [work.user_id, work.id, ...progress(step)],
  );
  return step;
}

/** A step lets others run after this time, so that long work delays nobody, however much one of its parts takes. */
const stepMs = 50;

/** Carries out one part after the other until the time of a step is over; after a failure, only one. */
async function takeParts(context: CarryOutContext, connection: Queryable, work: WorkRow): Promise<Step> {
  const until = performance.now() + (work.tries > 0 ? 0 : stepMs);
  let done = 0;
  for (let at = work; ; ) {
    const part = await stepsOf(work).part(stepContext(context, connection, at));
    done += part.done;
    if (part.cursor === null || performance.now() >= until) return { ...part, done };
    at = { ...at, cursor: part.cursor };
  }
}

const insert = (connection: Queryable, work: WorkRow, step: Step, total: number) =>
  connection.query(
    `insert into works (user_id, id, done, cursor, outcome, name, input, total, created_at, ended_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, now(), ${endOf("$4")})`,
    [work.user_id, work.id, ...progress(step), work.name, work.input, total],
  );

const endOf = (cursor: string): string => `case when ${cursor}::text is null then now() end`;

const progress = ({ done, cursor, outcome }: Step) => [
  done,
  cursor,
  outcome ? JSON.stringify(outcome) : null,
];

function stepsOf({ name }: WorkRow): Steps {
  const { steps } = handlers[name];
  if (!steps) throw new Error(`${name} has no steps.`);
  return steps;
}

const stepContext = (
  context: CarryOutContext,
  connection: Queryable,
  { user_id: userId, input, cursor, created_at }: WorkRow,
): StepContext => ({
  ...{ connection, userId, input: JSON.parse(input), cursor: cursor ?? null },
  async perform(name, commandInput) {
    const command = {
      ...{ ticket: 0, id: Bun.randomUUIDv7(), userId, name, input: commandInput, fingerprint: null },
      // The work was accepted with its command, so no step is ever late.
      ...{ acceptedAt: Date.parse(timestamp(created_at)), sentAt: Number.POSITIVE_INFINITY },
    };
    const begun = await begin(context, connection, [{ command, repeat: false }], "wait", true);
    const run = contextOf({ context, ...begun }, command);
    const answer = handlers[name].run(run, commandInput);
    await saveWithin(context, connection, begun.state);
    return answer as never;
  },
  async carryOut(approval) {
    const done = await runAsked(context, connection, approval);
    if (done) await saveWithin(context, connection, done.begun.state);
    return done?.outcome;
  },
});

async function saveWithin(context: CarryOutContext, connection: Queryable, state: State): Promise<void> {
  await Promise.all(save(connection, state));
  await carryOutFirstSteps(context, connection, state);
}
