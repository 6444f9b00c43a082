import type { Pool, PoolClient } from "pg";

/**
 * Checks that a new connection has its settings. A pooler in between may drop them; then times are in the server's
 * zone and locks have no timeout.
 * @throws Error naming the first setting that differs
 */
export async function demandSettings(
  client: Pick<PoolClient, "query">,
  wanted: Readonly<Record<string, string>>,
): Promise<void> {
  // PostgreSQL shows a value in the setting's own unit, so the wanted value is converted for the comparison.
  const { rows } = await client.query<{ name: string; value: string; unit: string | null }>(
    "select name, setting as value, unit from pg_settings where lower(name) = any($1::text[])",
    [Object.keys(wanted)],
  );
  for (const { name, value, unit } of rows) {
    const asked = wanted[name.toLowerCase()] ?? "";
    if (value.toLowerCase() !== inUnit(asked, unit).toLowerCase())
      throw new Error(
        `The database session has ${name}=${value}${unit ?? ""} instead of ${asked}: a connection pooler in between must pass the startup parameter "options" on in session mode, or the setting must be given to the database user (alter role).`,
      );
  }
}

/** Converts a time such as 3s to the unit in which pg_settings shows it. */
function inUnit(asked: string, unit: string | null): string {
  const [, number = asked, suffix] = /^(\d+)(ms|s)$/.exec(asked) ?? [];
  if (suffix === undefined || unit === null) return asked;
  const ms = Number(number) * (suffix === "s" ? 1_000 : 1);
  return String(unit === "s" ? ms / 1_000 : ms);
}

/** SQLSTATE of a statement's name that the server does not know, or knows already. */
const wrongNames = ["26000", "42P05"];

/**
 * Checks that a session knows the statements that it prepared. A pooler may give its server's connection to the next
 * session, which a transaction beside it shows.
 * @throws Error naming DATABASE_PREPARE
 */
export async function demandPrepared(pool: Pick<Pool, "connect">): Promise<void> {
  const taken: PoolClient[] = [];
  const take = async () => taken[taken.push(await pool.connect()) - 1];
  const named = { name: "kept_probe", text: "select" };
  let isWhole = false;
  try {
    const [session, other] = [await take(), await take()];
    await session?.query(named);
    await other?.query("begin");
    await session?.query(named);
    await other?.query("rollback");
    isWhole = true;
  } catch (error) {
    // Other failures, such as of a server that has no room for a second connection, say nothing of names.
    if (!(error instanceof Error && "code" in error && wrongNames.includes(String(error.code)))) return;
    throw new Error(
      "A connection pooler in between drops prepared statements: set DATABASE_PREPARE=no, or let it follow them (max_prepared_statements of PgBouncer).",
    );
  } finally {
    for (const client of taken) client.release(!isWhole);
  }
}
