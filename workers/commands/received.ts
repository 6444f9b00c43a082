import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { TraceSpan } from "../../shared/process/observe/tracing.ts";
import type {
  Call,
  CommandBatch,
  OperationEnd,
  Outcome,
  QueuedCommand,
  Reply,
} from "../../shared/queue/batch.ts";
import { operationRequestId } from "../../shared/queue/command-id.ts";
import type { QueuedGroup, QueuedOperation } from "../../shared/queue/group.ts";
import type { OnLocked } from "../unit-of-work/state.ts";

/** A batch with the time (of performance.now()) at which this worker got it. */
export type ReceivedBatch = CommandBatch & Readonly<{ receivedAt: number }>;

export type CommandToRun = Readonly<{
  command: QueuedCommand;
  /** True if it may have run before; then its stored reply is looked up. */
  repeat: boolean;
  /** True if an earlier attempt of this worker may have been applied. */
  maybeApplied?: boolean;
  /** True if earlier commands of the transaction come from the same request and may make or change its rows. */
  inGroup?: boolean;
  /** True if the id of its new row is known. */
  hasId?: boolean;
  /** Its step in a trace; operations of a group have that of the group. */
  span?: TraceSpan | undefined;
}>;

/** A command with the batch that it came in, which gets the answer. */
export type ReceivedCommand = CommandToRun & Readonly<{ batch: ReceivedBatch }>;

export type Answered<Work = ReceivedCommand> = readonly (readonly [Work, Reply])[];

const recorded = Compile(
  Type.Object({
    call: Type.Object({ requestId: Type.String(), traceparent: Type.Optional(Type.String()) }),
  }),
);

/**
 * The request of a command. A command that writes the row of another call has that call in its input.
 * @returns undefined for a command without a request of its own, such as a zone that a token claims
 */
export function requestOf({
  call,
  name,
  input,
}: QueuedCommand): Pick<Call, "requestId" | "traceparent"> | undefined {
  if (call) return call;
  return name === "action.record" && recorded.Check(input) ? input.call : undefined;
}

/** A group that this worker carries out. */
export type RunningGroup = Readonly<{
  atomic: boolean;
  /** Operations by their index in the request. */
  operations: ReadonlyMap<number, QueuedOperation>;
  /** Results of the ended ones. */
  ended: Map<number, Outcome>;
}>;

/** The mode of a transaction: how it treats locked rows, or the group whose operations it runs. */
export type TransactionMode = OnLocked | RunningGroup;
export const isOfGroup = (mode: TransactionMode): mode is RunningGroup => typeof mode === "object";

export const openGroup = ({ atomic, operations }: QueuedGroup): RunningGroup => ({
  atomic,
  operations: new Map(operations.map((operation) => [operation.index, operation])),
  ended: new Map(),
});

/** An operation as a command of its own. Its ticket is its index. */
export function operationCommand<Work extends CommandToRun>(
  { command, ...received }: Work,
  { index, id, name, input, fingerprint }: QueuedOperation,
) {
  const { userId, acceptedAt, sentAt, preview, call } = command;
  const own: QueuedCommand = {
    ...{ ticket: index, id, userId, name, input, fingerprint, acceptedAt, sentAt },
    ...(preview && { preview }),
    ...(call && {
      call: { ...call, requestId: operationRequestId(call.requestId, index), tool: name, index },
    }),
  };
  return { ...received, command: own, inGroup: true };
}

/** The one reply to a group, whose operations may be committed in several transactions. */
export function replyToGroup({ ticket }: QueuedCommand, answered: Answered<unknown>): Reply {
  const replies = answered.map(([, reply]) => reply);
  return { ticket, outcome: { body: replies.map(endOf) }, replayed: false };
}

const endOf = ({ ticket, outcome, replayed, changes }: Reply): OperationEnd => ({
  ...{ index: ticket, outcome, replayed },
  ...(changes && { changes }),
});
