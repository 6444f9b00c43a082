/**
 * The present in a statement, by PostgreSQL's clock alone: the clocks of worker processes may differ, so no worker
 * compares a time with its own. `$1` is an interval by which tests move in time.
 */
export const sqlNow = "(now() + $1::interval)";
