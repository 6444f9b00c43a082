import type { ReceivedBatch } from "./command-metrics.ts";
import type { CommandToRun } from "./row-requests.ts";

/** A command that is not answered yet. */
export type ReceivedCommand = CommandToRun &
  Readonly<{
    /** The batch that it came in, to which it is answered. */
    batch: ReceivedBatch;
    /** Whether an earlier attempt of this worker may have been applied. */
    inDoubt: boolean;
  }>;
