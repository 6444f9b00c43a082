import type { QueryResultRow } from "pg";
import type { Log } from "../../../shared/process/observe/log.ts";
import { commitTogether, type ReminderStore } from "../store.ts";
import { queueTimeout, type TakenDeliveries } from "./due.ts";

export type PlannedStore = ReminderStore & Readonly<{ defaultTimeZone: string; log: Log }>;

/** The statements for rows that have the time of their next delivery, and the rule that plans one more. */
type Planned<Row extends QueryResultRow> = Readonly<{
  anyDue: string;
  lockDue: string;
  /** Stores the next times and writes the deliveries of those that are due now. */
  takeDue: string;
  plan(store: PlannedStore, row: Row): object;
  /** The plan of a row that has no delivery now, and is looked at again then. */
  postponed(row: Row, until: string): object;
}>;

const hourMs = 3_600_000;

/** A row that a fault keeps from being planned holds up no other: it is tried again in an hour. */
function planSafely<Row extends QueryResultRow & Readonly<{ now: number }>>(
  store: PlannedStore,
  { plan, postponed }: Planned<Row>,
  row: Row,
): object {
  try {
    return plan(store, row);
  } catch (error) {
    store.log.error({ user: row.user_id, reason: String(error) }, "reminder not planned");
    return postponed(row, new Date(row.now + hourMs).toISOString());
  }
}

/** Takes up to `limit` due rows, oldest first, and skips those locked by another transaction. */
export async function takePlanned<Row extends QueryResultRow & Readonly<{ now: number }>>(
  store: PlannedStore,
  kind: Planned<Row>,
  limit: number,
): Promise<TakenDeliveries> {
  const { database, travel } = store;
  const { anyDue, lockDue, takeDue } = kind;
  const some = await database.pool.query(anyDue, [travel]);
  if (some.rows.length === 0) return { taken: 0, users: [], ids: [] };
  return commitTogether(store, async (query) => {
    const rows = await query<Row>(lockDue, [travel, limit]);
    const planned = JSON.stringify(rows.map((row) => planSafely(store, kind, row)));
    const [keys] = await query<Omit<TakenDeliveries, "taken">>(takeDue, [travel, planned, queueTimeout]);
    return { taken: rows.length, users: [], ids: [], ...keys };
  });
}
