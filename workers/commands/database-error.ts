/** An error that PostgreSQL reported, with its SQLSTATE. */
type ReportedError = Error & { code: string };

/**
 * PostgreSQL refused a statement and the session lives on, so nothing of its transaction was applied. It is recognised
 * by SQLSTATE, which no language setting translates: the classes 08, 57P, 25P03 and 25P04 end the session.
 */
export const isRolledBack = (error: unknown): error is ReportedError =>
  isReported(error) && !/^(08|57P|25P0[34])/.test(error.code);

/**
 * PostgreSQL refused these statements and would take others. Everything else is an outage, in which others would fail
 * as well: a session that ended, or a server that is full (53), broken (58) or read-only (25006).
 */
export const isAnswer = (error: unknown): error is ReportedError =>
  isRolledBack(error) && !/^(53|58|25006)/.test(error.code);

/** Socket errors have codes too, but no severity. */
const isReported = (error: unknown): error is ReportedError =>
  error instanceof Error && "severity" in error && "code" in error && typeof error.code === "string";
