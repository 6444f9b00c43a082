import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { TraceSpan } from "../../shared/process/observe/tracing.ts";
import type { Call, CommandBatch, QueuedCommand, Reply } from "../../shared/queue/batch.ts";

/** A batch with the time (of performance.now()) at which this worker got it. */
export type ReceivedBatch = CommandBatch & Readonly<{ receivedAt: number }>;

/** A command without an answer yet. */
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
