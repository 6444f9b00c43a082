import { withPresentExamples } from "../../../../shared/domain/day/example-dates.ts";
import {
  invalid,
  isRefused,
  type Refusal,
  type RefusalCode,
  type Refused,
} from "../../../../shared/errors.ts";
import { createGiveWay } from "../../../../shared/process/give-way.ts";
import {
  failedDependency,
  type OperationEnd,
  type Outcome,
  readEnds,
} from "../../../../shared/queue/batch.ts";
import { refusalBody, statusOf } from "../../../http/response.ts";
import type { Actor } from "../../../mailbox/actor.ts";
import type { CommandResult, DispatchGroup, GroupedOperation, Sender } from "../../../mailbox/dispatch.ts";
import { type Content, type PerformContext, prepare } from "../../../perform.ts";
import { presentOutcome } from "../../../queries/approval/present-outcome.ts";
import { pathIds, targetContent } from "../content.ts";
import { dateForExamples } from "../date-for-examples.ts";
import { type ReadGroup, type ReadOperation, readOperations } from "./read-operations.ts";

/** An operation that may be carried out, or its refusal. */
type PreparedOperation = GroupedOperation | Refused;

/** Checks scopes and contract of each operation, as for a request of its own. */
async function prepareOperations(
  actor: Pick<Actor, "userId" | "scopes">,
  operations: readonly ReadOperation[],
): Promise<readonly PreparedOperation[]> {
  const prepared: PreparedOperation[] = [];
  const giveWay = createGiveWay();
  for (const operation of operations) {
    const failed = operation.references.find(({ index }) => isRefused(prepared[index] ?? {}));
    prepared.push(failed ? failedDependency(failed.index) : await prepareOne(actor, operation, operations));
    await giveWay();
  }
  return prepared;
}

async function prepareOne(
  actor: Pick<Actor, "userId" | "scopes">,
  operation: ReadOperation,
  operations: readonly ReadOperation[],
): Promise<PreparedOperation> {
  const { index, name, contract, route, idempotencyKey } = operation;
  const content = () => operationContent(operation);
  const ready = await prepare({ contract, actor, required: route.required, content });
  if (isRefused(ready)) return ready;
  const input: Record<string, unknown> = { ...ready.input };
  const references: Record<string, number> = {};
  for (const reference of operation.references) {
    const made = originOf(reference.index, operations);
    if ("id" in made) input[reference.field] = made.id;
    else references[reference.field] = made.index;
  }
  const after = [...new Set(operation.references.map((reference) => reference.index))];
  return { index, name, input, references, after, idempotencyKey };
}

/** A made-up id stands for each reference until the real one is known. */
const anyId = 1;

function operationContent(operation: ReadOperation): Content | Refused {
  const { references, query } = operation;
  const params = { ...operation.params };
  const body = { ...operation.body };
  for (const { field } of references) {
    if (field in params) params[field] = String(anyId);
    else body[field] = anyId;
  }
  const target = { ...operation, params };
  const ids = pathIds(target);
  return isRefused(ids) ? ids : targetContent(target, { ...ids, query, body });
}

/** @returns the id in an operation's answer, or the index of the operation that will make it */
function originOf(
  index: number,
  operations: readonly ReadOperation[],
): Readonly<{ id: number }> | Readonly<{ index: number }> {
  const operation = operations[index];
  const [own] = Object.entries(operation?.params ?? {});
  if (!own) return { index };
  const [name, text] = own;
  const reference = operation?.references.find(({ field }) => field === name);
  return reference ? originOf(reference.index, operations) : { id: Number(text) };
}

export type GroupContext = Pick<PerformContext, "query"> & Readonly<{ dispatchGroup: DispatchGroup }>;

type Sent = Readonly<{ actor: Actor; by?: Sender | undefined; request: Request }>;

type Asked = Sent & Readonly<{ content(): Promise<Content | Refused> | Content | Refused }>;

/** Carries out the operations of a group. Each gets the answer that it would get alone. */
export async function answerGroup(
  context: GroupContext,
  { content: readContent, ...sent }: Asked,
): Promise<CommandResult> {
  const content = await readContent();
  if (isRefused(content)) return { outcome: content, replayed: false };
  const group = refuseConditions(sent.request) ?? readOperations(content);
  if (isRefused(group)) return { outcome: group, replayed: false };
  const ends = await presentEnds(context, sent, await endsOf(context, sent, group, content));
  if (isRefused(ends)) return { outcome: ends, replayed: false };
  const outcomes = ends.toSorted((one, other) => one.index - other.index).map(({ outcome }) => outcome);
  const today = await dateForExamples(context, sent.actor, outcomes);
  const results = group.operations.map((operation) => resultOf(operation, outcomes[operation.index], today));
  const carriedOut = ends.filter(({ outcome }) => !isRefusedAs("failed_dependency", outcome));
  return {
    outcome: { body: { results } },
    replayed: carriedOut.every(({ replayed }) => replayed),
    ...(content.preview && { changes: ends.flatMap(({ changes = [] }) => changes) }),
  };
}

function refuseConditions({ headers }: Request): Refused | undefined {
  const sent = ["If-Match", "If-None-Match"].filter((name) => headers.has(name));
  const message = "A batch has no state to match: send a conditional change by itself.";
  return sent.length === 0 ? undefined : invalid(Object.fromEntries(sent.map((name) => [name, [message]])));
}

async function endsOf(
  { dispatchGroup }: GroupContext,
  { actor, by }: Sent,
  { operations, atomic }: ReadGroup,
  { idempotencyKey, preview }: Pick<Content, "idempotencyKey" | "preview">,
): Promise<readonly OperationEnd[] | Refused> {
  const prepared = await prepareOperations(actor, operations);
  const early = prepared.flatMap((one, index) =>
    isRefused(one) ? [{ index, outcome: one, replayed: false }] : [],
  );
  const [failed] = early;
  if (atomic && failed)
    return operations.map(({ index }) => (index === failed.index ? failed : notDone(index, failed)));
  const ready = prepared.flatMap((one) => (isRefused(one) ? [] : [one]));
  if (ready.length === 0) return early;
  const ends = await dispatchGroup(actor, { atomic, operations: ready, idempotencyKey, by, preview });
  if (isRefused(ends)) return ends;
  return refusalOfAll(ends, atomic) ?? [...early, ...ends];
}

/** A group waits for approval as a whole. */
async function presentEnds(
  { query }: GroupContext,
  { actor }: Sent,
  ends: readonly OperationEnd[] | Refused,
): Promise<readonly OperationEnd[] | Refused> {
  if (isRefused(ends)) return ends;
  const waiting = ends.find(({ outcome }) => isRefusedAs("waiting", outcome));
  if (!waiting) return ends;
  const outcome = await presentOutcome(query(actor), waiting.outcome);
  if (isRefused(outcome)) return outcome;
  const done = (readEnds(outcome.body) ?? []).map((end) => ({ ...end, replayed: true }));
  return ends.map((end) => done.find(({ index }) => index === end.index) ?? end);
}

const notDone = (index: number, failed: OperationEnd): OperationEnd => ({
  index,
  outcome: failedDependency(failed.index),
  replayed: false,
});

const isRefusedAs = (code: RefusalCode, outcome: Outcome): outcome is Refused =>
  isRefused(outcome) && outcome.refusal.code === code;

/**
 * A refusal that concerns the caller or the service answers the whole request.
 * @param ends of all operations that were sent to a worker
 */
function refusalOfAll(ends: readonly OperationEnd[], atomic: boolean): Refused | undefined {
  const outcomes = ends.map(({ outcome }) => outcome);
  const deleted = outcomes.find((outcome) => isRefusedAs("unauthenticated", outcome));
  const overloaded = outcomes.filter((outcome) => isRefusedAs("overloaded", outcome));
  const isAll = atomic || overloaded.length === outcomes.length;
  const unknown = overloaded.find(({ refusal }) => refusal.applied === "unknown");
  return deleted ?? (isAll ? (unknown ?? overloaded[0]) : undefined);
}

function resultOf(
  { index, route, idempotencyKey }: ReadOperation,
  outcome: Outcome | undefined,
  today: string | undefined,
) {
  if (!outcome) throw new Error(`Operation ${index} was not answered.`);
  if (isRefused(outcome)) {
    const dated = today ? withPresentExamples(outcome.refusal, today) : outcome.refusal;
    const refusal = idempotencyKey === undefined ? dated : withKeyAsField(dated);
    return { status: statusOf(refusal.code), body: refusalBody(refusal) };
  }
  const { body } = outcome;
  return body === null || route.status === 204 ? { status: 204, body: null } : { status: route.status, body };
}

/** An operation has its key in a field, a request in a header. */
function withKeyAsField({ errors = {}, ...refusal }: Refusal): Refusal {
  const { "Idempotency-Key": taken, ...others } = errors;
  return { ...refusal, errors: { ...others, ...(taken && { idempotency_key: taken }) } };
}
