/** Wraps every failure of PostgreSQL or its connection, so that no error of our own code counts as an outage. */
export class DatabaseFailure extends Error {
  constructor(override readonly cause: unknown) {
    super(`database failure: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** PostgreSQL stops a statement before its caller gives up (SQLSTATE 57014), so that one long read fails nobody else's. */
export const wasStopped = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "57014";
