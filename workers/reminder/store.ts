import type { Database } from "../../shared/db/orm.ts";

/** The store of reminders; `travel` is the interval by which tests shift the present. */
export type ReminderStore = Readonly<{ database: Pick<Database, "pool">; travel: string }>;

/**
 * The present in a statement whose first value is `travel`. Only PostgreSQL's clock counts, because those of worker
 * processes may differ.
 */
export const now = "(now() + $1::interval)";
