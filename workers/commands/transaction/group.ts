import type { OperationEnd, Outcome, QueuedCommand, Reply } from "../../../shared/queue/batch.ts";
import { operationRequestId } from "../../../shared/queue/command-id.ts";
import type { QueuedGroup, QueuedOperation } from "../../../shared/queue/group.ts";
import type { OnLocked } from "../../unit-of-work/load.ts";
import type { Answered, CommandToRun } from "../received.ts";

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
