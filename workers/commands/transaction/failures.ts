import { DatabaseFailure } from "../../../shared/db/database-failure.ts";

/** The cause of a failed transaction: PostgreSQL refused it or was lost, or Kept's code has a fault. */
type FailedBy = "database" | "outage" | "fault";

export class TransactionFailed extends Error {
  constructor(
    override readonly cause: unknown,
    readonly by: FailedBy,
    /** True if it may have been applied even so. */
    readonly maybeApplied: boolean,
  ) {
    super("transaction failed", { cause });
  }
}

/** Sorts an error by where it was thrown, never by its class or message. */
export function failureOf(error: unknown, commitSent: boolean): TransactionFailed {
  if (error instanceof TransactionFailed) return error;
  if (!(error instanceof DatabaseFailure)) return new TransactionFailed(error, "fault", commitSent);
  const { cause } = error;
  const by = isAnswer(cause) ? "database" : "outage";
  return new TransactionFailed(cause, by, commitSent && !isRolledBack(cause));
}

/** An error that PostgreSQL reported, with its SQLSTATE. */
type ReportedError = Error & { code: string };

/**
 * PostgreSQL refused a statement and the session lives on, so nothing of the transaction was applied. It is
 * recognised by SQLSTATE, which no language setting translates: the classes 08, 57P, 25P03 and 25P04 end the
 * session.
 */
export const isRolledBack = (error: unknown): error is ReportedError =>
  isReported(error) && !/^(08|57P|25P0[34])/.test(error.code);

/**
 * PostgreSQL refused this statement and would accept others. Everything else is an outage, in which others would
 * fail as well: a session that ended, or a server that is full (53), broken (58) or read-only (25006).
 */
export const isAnswer = (error: unknown): error is ReportedError =>
  isRolledBack(error) && !/^(53|58|25006)/.test(error.code);

/** Socket errors have codes too, but no severity. */
const isReported = (error: unknown): error is ReportedError =>
  error instanceof Error && "severity" in error && "code" in error && typeof error.code === "string";

const codeOf = ({ by, cause }: TransactionFailed): string =>
  by === "database" && isAnswer(cause) ? cause.code : "";

/** PostgreSQL's clock has jumped to a time without partitions. */
export const isWithoutPartition = (failure: TransactionFailed): boolean => codeOf(failure) === "23514";

/** A concurrent duplicate, a row that was deleted meanwhile, no partition yet, serialization, deadlock. */
export const isPassing = (failure: TransactionFailed): boolean =>
  ["23505", "23503", "23514", "40001", "40P01"].includes(codeOf(failure));

/** PostgreSQL waited too long for a lock that SKIP LOCKED cannot avoid, such as that of an index entry. */
export const isLockTimeout = (failure: TransactionFailed): boolean => codeOf(failure) === "55P03";
