import type { TraceSpan, Tracing } from "../../shared/process/observe/tracing.ts";
import type { CommandBatch, Reply } from "../../shared/queue/batch.ts";
import { codeOf } from "./metrics.ts";
import { type CommandSpans, type CommandToRun, requestOf } from "./received.ts";

/** A command is a step of its request's trace, if that request is traced. */
export function startSpans(tracing: Tracing, { commands }: Pick<CommandBatch, "commands">): CommandSpans {
  const spans = new Map<number, TraceSpan>();
  for (const command of commands) {
    const { requestId, traceparent } = requestOf(command) ?? {};
    if (requestId === undefined || traceparent === undefined) continue;
    const attributes = {
      "kept.command": command.name,
      "kept.request_id": requestId,
      "kept.batch.commands": commands.length,
    };
    const span = tracing.start({ name: command.name, kind: "consumer", parent: traceparent, attributes });
    if (span) spans.set(command.ticket, span);
  }
  return spans;
}

/** Ends the steps of the commands that are answered. */
export function endSpans(spans: CommandSpans, replies: readonly Reply[]): void {
  for (const { ticket, outcome, replayed } of replies) {
    const code = codeOf(outcome);
    const hasFailed = code === "internal" || code === "overloaded";
    spans.get(ticket)?.end({ "kept.outcome": code, "kept.replayed": String(replayed) }, hasFailed);
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
