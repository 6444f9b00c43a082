import type { Pool } from "pg";
import { isLong, type Locks, locksOf, type Mode, stopsWrites } from "./locks.ts";
import type { ListedMigration } from "./pending.ts";

/** A table that a migration locks, with PostgreSQL's estimate of its rows. */
type PlannedLock = Readonly<{ table: string; mode: Mode; rows: number }>;

type PlannedMigration = Readonly<{
  name: string;
  /** False if writes wait for as long as work on rows takes. */
  isOnline: boolean;
  locks: readonly PlannedLock[];
}>;

/** The locks of pending migrations on tables that exist, which are all that somebody else can use. */
export async function planOf(
  pool: Pick<Pool, "query">,
  pending: readonly ListedMigration[],
  tableOf: (index: string) => string | undefined,
): Promise<readonly PlannedMigration[]> {
  const rows = await rowsByTable(pool);
  return pending.map(({ name, isOnline, statements }) => {
    const locks = known(locksOf(statements, tableOf), rows);
    // ListedMigration of an online migration hold no lock of an earlier one.
    const parts = isOnline ? statements.map((statement) => [statement]) : [statements];
    const waits = parts.some((part) => part.some(isLong) && stops(known(locksOf(part, tableOf), rows)));
    return { name, isOnline: !waits, locks };
  });
}

const stops = (locks: readonly PlannedLock[]): boolean =>
  locks.some(({ mode, rows }) => stopsWrites(mode) && rows > 0);

const known = (locks: Locks, counts: ReadonlyMap<string, number>): PlannedLock[] =>
  [...locks].flatMap(([table, mode]) => {
    const rows = counts.get(table);
    return rows === undefined ? [] : [{ table, mode, rows }];
  });

/** A partitioned table has the rows of its partitions. A table that nobody has analysed yet counts -1. */
async function rowsByTable(pool: Pick<Pool, "query">): Promise<ReadonlyMap<string, number>> {
  const { rows } = await pool.query<{ name: string; rows: number }>(`
    select case when n.nspname = 'public' then '' else n.nspname || '.' end || c.relname as name,
      greatest(0, coalesce(sum(part.reltuples), c.reltuples))::float8 as rows
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    left join pg_inherits i on i.inhparent = c.oid
    left join pg_class part on part.oid = i.inhrelid and part.reltuples > 0
    where c.relkind in ('r', 'p') and n.nspname in ('public', 'identity')
    group by n.nspname, c.relname, c.reltuples`);
  return new Map(rows.map(({ name, rows: count }) => [name, count]));
}

/** One line for each migration. */
export function printed(plan: readonly PlannedMigration[]): string[] {
  return plan.map(({ name, isOnline, locks }) => {
    const lines = locks.map(
      ({ table, mode, rows }) => `${mode} on ${table} (${rows.toLocaleString("en")} rows)`,
    );
    return `${name.padEnd(34)}${isOnline ? "online" : "writes wait"}  ${lines.join(", ") || "no table in use"}`;
  });
}
