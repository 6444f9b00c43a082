import type { Pool } from "pg";

/**
 * What holds the rows: one PostgreSQL server, or Citus, which spreads them over several by user. On Citus a statement
 * names one user, because it then runs as it is on the one server that has this user's rows.
 */
export type Engine = "postgres" | "citus";

/** Asks the server what it is. */
export async function readEngine(pool: Pick<Pool, "query">): Promise<Engine> {
  const { rows } = await pool.query<{ citus: boolean }>(
    "select exists (select from pg_extension where extname = 'citus') as citus",
  );
  return rows[0]?.citus ? "citus" : "postgres";
}
