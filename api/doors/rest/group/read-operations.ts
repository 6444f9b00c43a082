import { Type } from "typebox";
import { contracts } from "../../../../shared/contracts/catalogue.ts";
import { GroupEnvelope, GroupOperation } from "../../../../shared/contracts/group/contracts.ts";
import { type FieldErrors, invalid, isRefused, type Refused } from "../../../../shared/errors.ts";
import { groupCommand, type OperationName } from "../../../../shared/queue/group.ts";
import { isObject } from "../../../http/input/body.ts";
import { unknownNames } from "../../../http/input/unknown-names.ts";
import { type Fields, validate } from "../../../http/input/validate.ts";
import type { Content } from "../../../perform.ts";
import { restRoute, type Target } from "../route.ts";

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
    const hasId = Type.IsObject(output) && "id" in output.properties;
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
export type ReadOperation = FoundRoute &
  Readonly<{
    index: number;
    query: URLSearchParams;
    body: Fields;
    references: readonly Reference[];
    idempotencyKey: string | undefined;
  }>;

export type ReadGroup = Readonly<{ operations: readonly ReadOperation[]; atomic: boolean }>;

/** Reads a group. One malformed operation refuses all of them. */
export function readOperations({ fields, unknown }: Content): ReadGroup | Refused {
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
