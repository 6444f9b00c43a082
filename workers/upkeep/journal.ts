import type { Pool } from "pg";
import type { EventName } from "../../shared/domain/journal/events.ts";
import type { WorkerContext } from "../process/context.ts";

const atATime = 1_000;

type Closed = Readonly<{ user: string; kind: EventName; times: number }>;

/** Writes rows for what was only counted in periods that have ended. */
export async function closeJournal({
  database,
  security,
}: Pick<WorkerContext, "database" | "security">): Promise<void> {
  const sql = `select user_id as user, kind, times::float8 as times from journal_close(${atATime})`;
  for (let closed = atATime; closed === atATime; ) {
    const { rows } = await database.pool.query<Closed>(sql);
    closed = rows.length;
    for (const row of rows) if (row.times > 0) security({ ...row, isSum: true });
  }
}

/** Drops rows of the account journal that are older than 400 days. */
export async function dropJournal(pool: Pool): Promise<void> {
  const sql = `select journal_drop(${atATime})::int as dropped`;
  for (let dropped = atATime; dropped === atATime; ) {
    const { rows } = await pool.query<{ dropped: number }>(sql);
    dropped = rows[0]?.dropped ?? 0;
  }
}
