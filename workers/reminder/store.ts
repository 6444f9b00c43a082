import type { Database } from "../../shared/db/orm.ts";

/** The store of reminders; `travel` tells the interval by which tests shift the present. */
export type ReminderStore = Readonly<{ database: Pick<Database, "pool">; travel(): string }>;

/**
 * The present in a statement whose first value is `travel`. Only PostgreSQL's clock counts, because those of worker
 * processes may differ.
 */
export const now = "(now() + $1::interval)";

/** The keys of delivery rows, one array for each column. */
export type DeliveryKeys = Readonly<{ users: readonly string[]; ids: readonly string[] }>;
