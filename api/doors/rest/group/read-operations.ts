import { Type } from "typebox";
import { BatchEnvelope, BatchOperation } from "../../../../shared/contracts/group/contracts.ts";
import { type FieldErrors, invalid, isRefused, type Refused } from "../../../../shared/errors.ts";
import { isObject } from "../../../http/input/body.ts";
import { unknownNames } from "../../../http/input/unknown-names.ts";
import { type Fields, validate } from "../../../http/input/validate.ts";
import type { Content } from "../../../perform.ts";
import { type FoundRoute, findRoute } from "./find-route.ts";
import { isReference, type Reference, readReference } from "./reference.ts";

/** One operation of a batch, with all in it that can be checked before any is carried out. */
export type ReadOperation = FoundRoute &
  Readonly<{
    place: number;
    query: URLSearchParams;
    body: Fields;
    references: readonly Reference[];
    idempotencyKey: string | undefined;
  }>;

export type ReadBatch = Readonly<{ operations: readonly ReadOperation[]; atomic: boolean }>;

/** Reads a batch. What is wrong with the form of any operation refuses all of them. */
export function readOperations({ fields, unknown }: Content): ReadBatch | Refused {
  const envelope = validate({ input: BatchEnvelope }, fields, { unknown });
  if (isRefused(envelope)) return envelope;
  const operations: (ReadOperation | undefined)[] = [];
  const errors: FieldErrors = {};
  for (const [place, sent] of envelope.input.operations.entries()) {
    const read = isObject(sent) ? readOperation(sent, operations) : notAnObject;
    operations.push(isRefused(read) ? undefined : read);
    if (!isRefused(read)) continue;
    for (const [name, sentences] of Object.entries(read.refusal.errors ?? {}))
      errors[`operations.${place}${name}`] = sentences;
  }
  if (Object.keys(errors).length > 0) return invalid(errors);
  const { atomic = false } = envelope.input;
  return { operations: operations.filter((operation) => operation !== undefined), atomic };
}

/** Errors of one operation are named by what follows the name of the operation. */
const notAnObject = invalid({ "": ["An operation must be an object with method and path."] });

function readOperation(
  sent: Fields,
  earlier: readonly (ReadOperation | undefined)[],
): ReadOperation | Refused {
  const unknown = unknownNames(Object.keys(sent), operationFields);
  const checked = validate({ input: BatchOperation }, sent, { unknown });
  if (isRefused(checked)) return invalid(below(checked.refusal.errors ?? {}));
  const { method, path, body, idempotency_key } = checked.input;
  const [address = "", ...query] = path.split("?");
  const found = findRoute(method, address);
  if (!found)
    return invalid({
      ".path": [`${method} ${address.slice(0, maxShown)} is no change that a batch can make.`],
    });
  const read = readReferences(found, { ...body }, earlier);
  if (isRefused(read)) return read;
  const place = earlier.length;
  const operation = {
    place,
    query: new URLSearchParams(query.join("?")),
    body: { ...body },
    references: read.references,
  };
  return { ...found, ...operation, idempotencyKey: idempotency_key ?? undefined };
}

const operationFields = { what: "a field of an operation", names: Object.keys(BatchOperation.properties) };
const maxShown = 64;

const below = (errors: FieldErrors): FieldErrors =>
  Object.fromEntries(Object.entries(errors).map(([name, sentences]) => [`.${name}`, sentences]));

/** In the path, and in the fields of the body that are ids. */
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
