import type { EntityProperty } from "@mikro-orm/core";
import { entities } from "../../shared/db/entities.ts";
import type { Queryable } from "../unit-of-work/connection.ts";

/** Every table with rows of a user but the journal, and its key. A table comes before those that it refers to. */
const tables = entities.toReversed().flatMap(({ tableName, meta }): [name: string, key: string][] => {
  const key = Object.entries<EntityProperty>(meta.properties).flatMap(([name, { primary }]) =>
    primary ? name : [],
  );
  return tableName === "journal" ? [] : [[tableName, key.slice(1).join(", ") || "user_id"]];
});

/** Steps are small, so that no other transaction waits long for the rows. */
const rowsAtOnce = 2_000;

/**
 * Closes an account and deletes its rows in steps. From the first step on, every command of this user is refused. The
 * next sweep deletes rows that a transaction was still writing.
 */
export async function emptyAccount(connection: Queryable, userId: string): Promise<void> {
  await connection.query(
    `insert into deleted_users (id, deleted_at) values ($1, now())
     on conflict (id) do update set deleted_at = now(), emptied_at = null`,
    [userId],
  );
  await deleteRows(connection, userId);
  await connection.query("update deleted_users set emptied_at = now() where id = $1", [userId]);
}

/** Accounts that may still have rows: their deletion was interrupted, or another transaction wrote at the same time. */
const unswept = `
  select id from deleted_users
  where emptied_at is null or emptied_at < deleted_at + interval '5 minutes'
  order by deleted_at limit 100`;

export async function sweepDeletedUsers(connection: Queryable): Promise<void> {
  const { rows } = await connection.query<{ id: string }>(unswept);
  for (const { id } of rows) {
    await deleteRows(connection, id);
    await connection.query("update deleted_users set emptied_at = now() where id = $1", [id]);
  }
}

async function deleteRows(connection: Queryable, userId: string): Promise<void> {
  for (const [table, key] of tables) {
    const sql = `delete from ${table} where user_id = $1
      and (${key}) in (select ${key} from ${table} where user_id = $1 limit ${rowsAtOnce})`;
    for (let rows = rowsAtOnce; rows === rowsAtOnce; )
      rows = (await connection.query(sql, [userId])).rowCount ?? 0;
  }
}
