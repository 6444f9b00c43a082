import type { TraceSpan } from "../../shared/process/tracing.ts";
import type { CommandBatch } from "../../shared/queue/batch.ts";
import type { CommandToRun } from "./row-requests.ts";

/** The steps of the commands of one batch that are traced, by ticket. */
export type CommandSpans = ReadonlyMap<number, TraceSpan>;

/** A batch with the time (of performance.now()) at which this worker got it. */
export type ReceivedBatch = CommandBatch & Readonly<{ receivedAt: number; spans?: CommandSpans | undefined }>;

/** A command that is not answered yet. */
export type ReceivedCommand = CommandToRun &
  Readonly<{
    /** The batch that it came in, to which it is answered. */
    batch: ReceivedBatch;
    /** Whether an earlier attempt of this worker may have been applied. */
    inDoubt: boolean;
    /** Its step in a trace; operations of a group have that of the group. */
    span?: TraceSpan | undefined;
  }>;
