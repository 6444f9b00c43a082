import type { Database } from "../../shared/db/orm.ts";

/** Where reminders are stored, and how far tests move from the present, as an interval. */
export type ReminderStore = Readonly<{ database: Pick<Database, "pool">; travel: string }>;

/**
 * The present in a statement whose first value is `travel`. It is PostgreSQL's clock alone: those of worker processes may
 * differ, so no worker compares a time with its own.
 */
export const now = "(now() + $1::interval)";
