/** Wraps whatever PostgreSQL or the connection to it failed with, so that no error of our own code is taken for an outage. */
export class DatabaseFailure extends Error {
  constructor(override readonly cause: unknown) {
    super(`database failure: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
