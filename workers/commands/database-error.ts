/** An error that PostgreSQL reported, with its SQLSTATE. */
type Reported = Error & { code: string };

/**
 * PostgreSQL refused a statement and the session lives on, so that nothing of its transaction stays. Told by
 * SQLSTATE, which no language setting translates: class 08, 57P and 25P03/25P04 end the session.
 */
export const isRolledBack = (error: unknown): error is Reported =>
  isReported(error) && !/^(08|57P|25P0[34])/.test(error.code);

/**
 * The refusal is about these statements. All else is an outage, after which others would fail as well: a session
 * that ended, or a server that is full (53), broken (58) or read-only (25006).
 */
export const isAnswer = (error: unknown): error is Reported =>
  isRolledBack(error) && !/^(53|58|25006)/.test(error.code);

/** Errors of sockets have codes too, but no severity. */
const isReported = (error: unknown): error is Reported =>
  error instanceof Error && "severity" in error && "code" in error && typeof error.code === "string";
