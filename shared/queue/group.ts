import { type Static, Type } from "typebox";
import { type CommandName, commands } from "../contracts/catalogue.ts";
import { fingerprintOf } from "./command-id.ts";

/** The command that carries a group, and is none itself. */
export const groupCommand = "batch.run" as const;

export type OperationName = Exclude<CommandName, typeof groupCommand>;
const operationNames = Object.keys(commands).filter((name) => name !== groupCommand);

const operation = Type.Object({
  /** Its place in the request, from 0. */
  place: Type.Integer(),
  /** The id of the command that it is, as if it had been sent alone. */
  id: Type.String(),
  name: Type.Unsafe<OperationName>(Type.Enum(operationNames)),
  /** Validated by the front door; a field that refers to another operation has any id there. */
  input: Type.Record(Type.String(), Type.Unknown()),
  /** Set with an idempotency key. Only a worker knows that of an input with references. */
  fingerprint: Type.Union([Type.String(), Type.Null()]),
  /** The fields that are the id of what another operation makes, each with the place of that operation. */
  references: Type.Record(Type.String(), Type.Integer()),
  /** The places of the operations without whose success this one is not carried out. */
  after: Type.Array(Type.Integer()),
});

/** One change of a batch request, on its way to a worker. */
export type QueuedOperation = Readonly<Static<typeof operation>>;

/** The changes of one batch request. They run in order, in a transaction of their own, all or none if `atomic`. */
export const queuedGroup = Type.Object({
  atomic: Type.Boolean(),
  operations: Type.Unsafe<readonly QueuedOperation[]>(Type.Array(operation)),
});

export type QueuedGroup = Readonly<Static<typeof queuedGroup>>;

/** @returns the operation with the ids that its references stand for, as far as they are known */
export function resolved(
  operation: QueuedOperation,
  idAt: (place: number) => number | undefined,
): QueuedOperation {
  const { name, fingerprint, references } = operation;
  const input = { ...operation.input };
  for (const [field, place] of Object.entries(references)) input[field] = idAt(place) ?? input[field];
  return { ...operation, input, fingerprint: fingerprint === null ? null : fingerprintOf(name, input) };
}
