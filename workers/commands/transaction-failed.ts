import { DatabaseFailure } from "../../shared/db/database-failure.ts";
import { isAnswer, isRolledBack } from "./database-error.ts";

/** Why a transaction failed: a handler threw, PostgreSQL refused it or was lost, or any other code has a fault. */
type FailedBy = "handler" | "database" | "outage" | "fault";

export class TransactionFailed extends Error {
  constructor(
    override readonly cause: unknown,
    readonly by: FailedBy,
    /** Whether it may have been applied all the same. */
    readonly inDoubt: boolean,
  ) {
    super("transaction failed", { cause });
  }
}

/** Runs code of handlers: whatever it throws is a fault of theirs, and nothing was written yet. */
export function callHandlers<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw new TransactionFailed(error, "handler", false);
  }
}

/** Sorts an error by the place that it comes from, never by its class or message. */
export function failureOf(error: unknown, commitSent: boolean): TransactionFailed {
  if (error instanceof TransactionFailed) return error;
  if (!(error instanceof DatabaseFailure)) return new TransactionFailed(error, "fault", commitSent);
  const { cause } = error;
  const by = isAnswer(cause) ? "database" : "outage";
  return new TransactionFailed(cause, by, commitSent && !isRolledBack(cause));
}
