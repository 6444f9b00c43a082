import { type Static, Type } from "typebox";
import { type CommandName, commands } from "../contracts/catalogue.ts";
import { fingerprintOf } from "./command-id.ts";

/** The command that carries a group, and cannot be in a group itself. */
export const groupCommand = "batch.run" as const;

export type OperationName = Exclude<CommandName, typeof groupCommand>;
const operationNames = Object.keys(commands).filter((name) => name !== groupCommand);

const operation = Type.Object({
  /** Its index in the request, from 0. */
  index: Type.Integer(),
  /** The id that the command would have alone. */
  id: Type.String(),
  name: Type.Unsafe<OperationName>(Type.Enum(operationNames)),
  /** Validated by the front door; a field that refers to another operation holds a made-up id. */
  input: Type.Record(Type.String(), Type.Unknown()),
  /** Set with an idempotency key. Null with references, whose fingerprint only a worker knows. */
  fingerprint: Type.Union([Type.String(), Type.Null()]),
  /** Fields that take the id which another operation makes, each with the index of that operation. */
  references: Type.Record(Type.String(), Type.Integer()),
  /** Indexes of the operations that must succeed first. */
  after: Type.Array(Type.Integer()),
});

export type QueuedOperation = Readonly<Static<typeof operation>>;

/** The changes of one group. They run in order, in a transaction of their own, all or none if `atomic`. */
export const queuedGroup = Type.Object({
  atomic: Type.Boolean(),
  operations: Type.Unsafe<readonly QueuedOperation[]>(Type.Array(operation)),
});

export type QueuedGroup = Readonly<Static<typeof queuedGroup>>;

/** @returns the operation with the ids of its references, as far as they are known */
export function resolved(
  operation: QueuedOperation,
  idAt: (index: number) => number | undefined,
): QueuedOperation {
  const { name, fingerprint, references } = operation;
  const input = { ...operation.input };
  for (const [field, index] of Object.entries(references)) input[field] = idAt(index) ?? input[field];
  return { ...operation, input, fingerprint: fingerprint === null ? null : fingerprintOf(name, input) };
}
