/**
 * The present in a statement, by PostgreSQL's clock alone: the clocks of worker processes may differ, and
 * what one of them dated is not to be another's past. `$1` is how far a test has travelled from it.
 */
export const present = "(now() + $1::interval)";
