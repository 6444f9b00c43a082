import { Type } from "typebox";
import { contracts } from "../../../shared/contracts/catalogue.ts";
import { GroupEnvelope, GroupOperation } from "../../../shared/contracts/group/contracts.ts";
import { withPresentExamples } from "../../../shared/domain/day/day.ts";
import {
  type FieldErrors,
  invalid,
  isRefused,
  type Refusal,
  type RefusalCode,
  type Refused,
} from "../../../shared/errors.ts";
import { createGiveWay } from "../../../shared/process/give-way.ts";
import { failedDependency, type OperationEnd, type Outcome, readEnds } from "../../../shared/queue/batch.ts";
import { groupCommand, type OperationName } from "../../../shared/queue/group.ts";
import { type Fields, isObject, unknownNames, validate } from "../../http/input.ts";
import { refusalBody, statusOf } from "../../http/response.ts";
import type { Actor } from "../../mailbox/actor.ts";
import type { CommandResult, DispatchGroup, GroupedOperation, Sender } from "../../mailbox/dispatch.ts";
import { type Content, checkPreview, type PerformContext, prepare } from "../../perform.ts";
import { presentOutcome } from "../../queries/approval/read.ts";
import { pathIds, targetContent } from "./content.ts";
import { dateForExamples } from "./date-for-examples.ts";
import { restRoute, type Target } from "./route.ts";

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
  const changes = ends.flatMap((end) => end.changes ?? []);
  const contracts = group.operations.map(({ contract }) => contract);
  const hidden = content.preview && checkPreview({ changes }, contracts, sent.actor);
  if (hidden) return { outcome: hidden, replayed: false };
  const carriedOut = ends.filter(({ outcome }) => !isRefusedAs("failed_dependency", outcome));
  return {
    outcome: { body: { results } },
    replayed: carriedOut.every(({ replayed }) => replayed),
    ...(content.preview && { changes }),
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

/** A change that a group can make, and the kind of thing that it makes. */
type FoundRoute = Target &
  Readonly<{
    name: OperationName;
    /** Undefined for an answer without an id. */
    answersId: string | undefined;
  }>;

const idNames: Readonly<Record<string, string>> = {
  habits: "habit_id",
  todos: "todo_id",
  categories: "category_id",
};

const routes = contracts.flatMap((contract) => {
  const { kind, name, rest = [], output } = contract;
  if (kind === "query" || name === groupCommand) return [];
  return rest.map((route) => {
    const parts = route.path.split("/");
    const hasId = route.status !== 204 && Type.IsObject(output) && "id" in output.properties;
    const answersId = hasId ? idNames[parts[1] ?? ""] : undefined;
    return { name, ...restRoute(contract, route), parts, answersId };
  });
});

/** @returns undefined when no route makes this change */
function findRoute(method: string, path: string): FoundRoute | undefined {
  const sent = path.split("/");
  for (const { parts, ...found } of routes) {
    const params = found.route.method === method ? paramsIn(parts, sent) : undefined;
    if (params) return { ...found, params };
  }
  return undefined;
}

function paramsIn(parts: readonly string[], sent: readonly string[]): Record<string, string> | undefined {
  if (parts.length !== sent.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const text = sent[index] ?? "";
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined ? part !== text : text === "") return undefined;
    if (name !== undefined) params[name] = text;
  }
  return params;
}

/** One operation of a group, checked as far as possible before any operation is carried out. */
type ReadOperation = FoundRoute &
  Readonly<{
    index: number;
    query: URLSearchParams;
    body: Fields;
    references: readonly Reference[];
    idempotencyKey: string | undefined;
  }>;

type ReadGroup = Readonly<{ operations: readonly ReadOperation[]; atomic: boolean }>;

/** Reads a group. One malformed operation refuses all of them. */
function readOperations({ fields, unknown }: Content): ReadGroup | Refused {
  const envelope = validate({ input: GroupEnvelope }, fields, { unknown });
  if (isRefused(envelope)) return envelope;
  const operations: (ReadOperation | undefined)[] = [];
  const errors: FieldErrors = {};
  for (const [index, sent] of envelope.input.operations.entries()) {
    const read = isObject(sent) ? readOperation(sent, operations) : notAnObject;
    operations.push(isRefused(read) ? undefined : read);
    if (!isRefused(read)) continue;
    for (const [name, sentences] of Object.entries(read.refusal.errors ?? {}))
      errors[`operations.${index}${name}`] = sentences;
  }
  if (Object.keys(errors).length > 0) return invalid(errors);
  const { atomic = false } = envelope.input;
  return { operations: operations.filter((operation) => operation !== undefined), atomic };
}

/** Maps errors to names relative to their operation. */
const notAnObject = invalid({ "": ["An operation must be an object with method and path."] });

function readOperation(
  sent: Fields,
  earlier: readonly (ReadOperation | undefined)[],
): ReadOperation | Refused {
  const unknown = unknownNames(Object.keys(sent), operationFields);
  const checked = validate({ input: GroupOperation }, sent, { unknown });
  if (isRefused(checked)) return invalid(below(checked.refusal.errors ?? {}));
  const { method, path, body, idempotency_key } = checked.input;
  const [address = "", ...query] = path.split("?");
  const found = findRoute(method, address);
  if (!found)
    return invalid({
      ".path": [`${method} ${address.slice(0, maxShown)} is not a change that a batch can make.`],
    });
  const read = readReferences(found, { ...body }, earlier);
  if (isRefused(read)) return read;
  const index = earlier.length;
  const operation = {
    index,
    query: new URLSearchParams(query.join("?")),
    body: { ...body },
    references: read.references,
  };
  return { ...found, ...operation, idempotencyKey: idempotency_key ?? undefined };
}

const operationFields = { what: "a field of an operation", names: Object.keys(GroupOperation.properties) };
const maxShown = 64;

const below = (errors: FieldErrors): FieldErrors =>
  Object.fromEntries(Object.entries(errors).map(([name, sentences]) => [`.${name}`, sentences]));

/** References may stand in the path and in ids of the body. */
function readReferences(
  { contract, params }: FoundRoute,
  body: Fields,
  earlier: readonly (ReadOperation | undefined)[],
): Readonly<{ references: Reference[] }> | Refused {
  const inBody = Object.entries(contract.input.properties)
    .filter(([name, schema]) => !(name in params) && isId(schema) && isReference(body[name]))
    .map(([name]) => [`.body.${name}`, name, body[name]] as const);
  const inPath = Object.entries(params).map(([name, text]) => [".path", name, text] as const);
  const references: Reference[] = [];
  const errors: FieldErrors = {};
  for (const [where, name, text] of [...inPath, ...inBody]) {
    if (!isReference(text)) continue;
    const read = readReference(text, name, earlier);
    if (typeof read === "string") errors[where] = [read];
    else references.push(read);
  }
  return Object.keys(errors).length > 0 ? invalid(errors) : { references };
}

function isId(schema: unknown): boolean {
  if (!Type.IsSchema(schema)) return false;
  const [first = schema] = Type.IsUnion(schema) ? schema.anyOf : [];
  return "title" in first && first.title === "Id";
}

/** A field that takes the id which an earlier operation answers. */
type Reference = Readonly<{ field: string; index: number }>;

const shape = /^\$(0|[1-9]\d?)\.id$/;

/** True if a text where an id belongs is meant as a reference, well-formed or not. */
const isReference = (value: unknown): value is string => typeof value === "string" && value.startsWith("$");

/**
 * Reads a reference to an earlier operation.
 * @param earlier undefined at the index of a refused operation
 * @returns the reference, or the reason why it is invalid
 */
function readReference(
  text: string,
  field: string,
  earlier: readonly (FoundRoute | undefined)[],
): Reference | string {
  const index = Number(shape.exec(text)?.[1] ?? Number.NaN);
  if (Number.isNaN(index)) return "A reference must be written like $0.id.";
  if (index >= earlier.length) return `A reference must be to an operation before this one; ${index} is not.`;
  const found = earlier[index];
  if (found && found.answersId !== field) return `Operation ${index} does not answer with a ${field}.`;
  return { field, index };
}
