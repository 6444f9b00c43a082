import { Counter, Histogram, type Registry } from "prom-client";
import type { TraceSpan, Tracing } from "../../shared/process/observe/tracing.ts";
import type { CommandBatch, Outcome, QueuedCommand } from "../../shared/queue/batch.ts";
import { type Answered, type CommandToRun, requestOf } from "./received.ts";

export type CommandMetrics = ReturnType<typeof createCommandMetrics>;
export type TransactionMetrics = ReturnType<typeof createTransactionMetrics>;

export function createCommandMetrics(registry: Registry) {
  const registers = [registry];
  const sizes = new Histogram({
    name: "kept_batch_commands",
    help: "Commands in a batch",
    buckets: [1, 2, 5, 10, 20, 50, 100],
    registers,
  });
  const refusedBatches = new Counter({
    name: "kept_batches_refused_total",
    help: "Batches of a format that this worker does not know, or without a valid signature",
    labelNames: ["reason"],
    registers,
  });
  const times = new Histogram({
    name: "kept_command_seconds",
    help: "Time from a command's arrival at this worker to its answer",
    labelNames: ["command"],
    buckets: [0.0025, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers,
  });
  const answers = new Counter({
    name: "kept_commands_total",
    help: "Commands answered, by the code of their refusal or `done`",
    labelNames: ["command", "outcome"],
    registers,
  });
  return {
    received: ({ commands }: CommandBatch): void => sizes.observe(commands.length),
    /** Counts a batch that was refused because of its format, or because no front door signed it. */
    refused: (reason: "format" | "signature"): void => refusedBatches.inc({ reason }),
    answered(answered: Answered): void {
      const now = performance.now();
      for (const [{ command, batch }, { outcome }] of answered) {
        times.observe({ command: command.name }, (now - batch.receivedAt) / 1000);
        answers.inc({ command: command.name, outcome: codeOf(outcome) });
      }
    },
    ...createTransactionMetrics(registry),
  };
}

function createTransactionMetrics(registry: Registry) {
  const shared = {
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  };
  const transactions = new Histogram({
    name: "kept_transaction_seconds",
    help: "Time of a transaction of commands, with the wait for a connection",
    labelNames: ["queue"],
    ...shared,
  });
  const commits = new Histogram({
    name: "kept_commit_seconds",
    help: "Time from the sending of a transaction's changes to PostgreSQL's answer that they are committed",
    ...shared,
  });
  return {
    /** Counts a transaction, whether or not it was committed. */
    ended: (queue: string, seconds: number): void => transactions.observe({ queue }, seconds),
    committed: (seconds: number): void => commits.observe(seconds),
  };
}

/** `done`, or the code of the refusal. */
export const codeOf = (outcome: Outcome): string => ("refusal" in outcome ? outcome.refusal.code : "done");

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
