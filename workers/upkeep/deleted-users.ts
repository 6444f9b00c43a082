import type { Pool } from "pg";

type Queries = Pick<Pool, "query">;

/** Every table of a user's rows by its key, what refers to others first. */
const tables = [
  ["reminder_deliveries", "id"],
  ["reminders", "todo_id"],
  ["todos", "id"],
  ["habit_completions", "habit_id, local_date"],
  ["habits", "id"],
  ["categories", "id"],
  ["action_log", "request_id"],
  ["inbox", "command_id"],
  ["users", "user_id"],
] as const;

/** Few enough that no other transaction waits long for them. */
const rowsAtOnce = 2_000;

/**
 * Closes an account and deletes its rows in steps. From the first step on every command of this user is refused, so
 * that nothing comes back; what a transaction was just writing goes with the next sweep.
 */
export async function emptyAccount(pool: Pool, userId: string): Promise<void> {
  await pool.query(
    `insert into deleted_users (id, deleted_at) values ($1, now())
     on conflict (id) do update set deleted_at = now(), emptied_at = null`,
    [userId],
  );
  await deleteRows(pool, userId);
  await pool.query("update deleted_users set emptied_at = now() where id = $1", [userId]);
}

/** Accounts whose rows may not all be gone: deletion broke off, or was so recent that something slipped in. */
const unswept = `
  select id from deleted_users
  where emptied_at is null or emptied_at < deleted_at + interval '5 minutes'
  order by deleted_at limit 100`;

/** Deletes what is left of closed accounts. */
export async function sweepDeletedUsers(pool: Queries): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(unswept);
  for (const { id } of rows) {
    await deleteRows(pool, id);
    await pool.query("update deleted_users set emptied_at = now() where id = $1", [id]);
  }
}

async function deleteRows(pool: Queries, userId: string): Promise<void> {
  for (const [table, key] of tables) {
    const sql = `delete from ${table} where user_id = $1
      and (${key}) in (select ${key} from ${table} where user_id = $1 limit ${rowsAtOnce})`;
    for (let rows = rowsAtOnce; rows === rowsAtOnce; ) rows = (await pool.query(sql, [userId])).rowCount ?? 0;
  }
}
