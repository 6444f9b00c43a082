import type { Queryable } from "./connection.ts";

const lock = "select pg_try_advisory_xact_lock(hashtextextended('works ' || $1, 0)) as free";
const openWork = "select from works where user_id = $1 and ended_at is null limit 1";

/** Takes the user's turn until the transaction ends: of commands that are apart and steps of a user, one at a time runs anywhere. */
export async function takeTurn(connection: Queryable, userId: string): Promise<boolean> {
  const { rows } = await connection.query<{ free: boolean }>(lock, [userId]);
  return rows[0]?.free === true;
}

/** Takes the turn for a command that is apart, which long work of its user goes before. */
export async function takeTurnAfterWorks(
  connection: Queryable,
  userId: string,
): Promise<"taken" | "locked" | "after work"> {
  const [isFree, { rowCount }] = await Promise.all([
    takeTurn(connection, userId),
    connection.query(openWork, [userId]),
  ]);
  return isFree ? (rowCount === 0 ? "taken" : "after work") : "locked";
}
