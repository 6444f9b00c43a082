import { Histogram, type Registry } from "prom-client";

/** Times the transactions of one worker process. */
export type TransactionMetrics = Readonly<{
  /** Counts a transaction, whether or not it was committed. */
  ended(queue: string, seconds: number): void;
  committed(seconds: number): void;
}>;

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export function createTransactionMetrics(registry: Registry): TransactionMetrics {
  const registers = [registry];
  const transactions = new Histogram({
    name: "kept_transaction_seconds",
    help: "Time of a transaction of commands, with the wait for a connection",
    labelNames: ["queue"],
    buckets,
    registers,
  });
  const commits = new Histogram({
    name: "kept_commit_seconds",
    help: "Time from the sending of a transaction's changes to PostgreSQL's answer that they are committed",
    buckets,
    registers,
  });
  return {
    ended: (queue, seconds) => transactions.observe({ queue }, seconds),
    committed: (seconds) => commits.observe(seconds),
  };
}
