/**
 * Whether PostgreSQL reported the error, or it cannot be reached. The driver has no class for a lost connection, so
 * these are known by their texts, which stay the same while the driver's version is pinned.
 */
export function isDatabaseError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isDatabaseError);
  const hasCode = "code" in error && typeof error.code === "string";
  // PostgreSQL's errors have a severity beside their SQLSTATE, those of sockets the system call that failed.
  return (hasCode && ("severity" in error || "syscall" in error)) || lostConnection.test(error.message);
}

const lostConnection =
  /^(Connection terminated|timeout e|Query read timeout|Client (has encountered a connection error|was closed)|Cannot use a pool after|The database session has )/;
