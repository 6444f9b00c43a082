import type { Log } from "../../shared/process/log.ts";
import type { Tracing } from "../../shared/process/tracing.ts";
import type { OnLocked } from "../unit-of-work/load.ts";
import { transactionSpans } from "./command-spans.ts";
import type { RunningGroup } from "./group.ts";
import { runGroupTransaction } from "./group-transaction.ts";
import type { ReceivedCommand } from "./received.ts";
import { runTransaction, type TransactionContext, type TransactionResult } from "./transaction.ts";
import type { TransactionMetrics } from "./transaction-metrics.ts";

export type RunContext = TransactionContext &
  Readonly<{
    log: Log;
    metrics: TransactionMetrics;
    tracing: Tracing | undefined;
    makePartitions(): Promise<void>;
  }>;

/** How commands run: what to do about locked rows or, for operations of a group, which group that is. */
export type Manner = OnLocked | RunningGroup;
export const isOfGroup = (manner: Manner): manner is RunningGroup => typeof manner === "object";

/**
 * Runs commands in one transaction, which is timed and a step in the traces of all of them.
 * @throws TransactionFailed
 */
export async function attempt(
  context: RunContext,
  received: readonly ReceivedCommand[],
  manner: Manner,
): Promise<TransactionResult> {
  const began = performance.now();
  const spans = context.tracing && transactionSpans(context.tracing, received);
  let hasFailed = true;
  try {
    const done = isOfGroup(manner)
      ? await runGroupTransaction(context, received, manner)
      : await runTransaction(context, received, manner);
    hasFailed = false;
    return done;
  } finally {
    context.metrics.ended(queueOf(manner), (performance.now() - began) / 1_000);
    for (const span of spans ?? []) span.end({}, hasFailed);
  }
}

const queueOf = (manner: Manner): string =>
  isOfGroup(manner) ? "groups" : manner === "wait" ? "slow" : "batches";
