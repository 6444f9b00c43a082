import type { TraceSpan, Tracing } from "../../shared/process/observe/tracing.ts";
import type { QueuedCommand } from "../../shared/queue/batch.ts";
import { codeOf } from "./metrics.ts";
import { type Answered, type CommandToRun, requestOf } from "./received.ts";

/** A command is a step of its request's trace, if that request is traced. */
export function startSpan(tracing: Tracing, command: QueuedCommand, ofBatch: number): TraceSpan | undefined {
  const { requestId, traceparent } = requestOf(command) ?? {};
  if (requestId === undefined || traceparent === undefined) return undefined;
  const attributes = {
    "kept.command": command.name,
    "kept.request_id": requestId,
    "kept.batch.commands": ofBatch,
  };
  return tracing.start({ name: command.name, kind: "consumer", parent: traceparent, attributes });
}

export function endSpans(answered: Answered): void {
  for (const [{ span }, { outcome, replayed }] of answered) {
    const code = codeOf(outcome);
    const hasFailed = code === "internal" || code === "overloaded";
    span?.end({ "kept.outcome": code, "kept.replayed": String(replayed) }, hasFailed);
  }
}

/** A transaction carries commands of many traces, so each trace has a step for it. */
export function transactionSpans(tracing: Tracing, work: readonly CommandToRun[]): readonly TraceSpan[] {
  const parents = new Set(work.flatMap(({ span }) => span ?? []));
  const attributes = { "kept.transaction.commands": work.length };
  return [...parents].flatMap(
    ({ traceparent: parent }) =>
      tracing.start({ name: "transaction", kind: "internal", parent, attributes }) ?? [],
  );
}
