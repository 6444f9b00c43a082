/**
 * Wraps every failure of PostgreSQL or its connection, so that an error of Kept's own code never counts as an
 * outage.
 */
export class DatabaseFailure extends Error {
  constructor(override readonly cause: unknown) {
    super(`database failure: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/**
 * PostgreSQL stops a statement before its caller gives up (SQLSTATE 57014), so that one long read does not make
 * others fail.
 */
export const wasStopped = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "57014";
