import type { Pool } from "pg";
import type { Database } from "../../shared/db/orm.ts";
import { countAccounts } from "../../workers/upkeep/account-bytes.ts";
import { eventually } from "./reminder/stack.ts";
import { wordsIn } from "./text-table.ts";

type Store = Pick<Pool, "query">;

const authors = ["created_by", "changed_by", "written_by"] as const;

const tables = {
  users: [],
  categories: ["name", "color", ...authors],
  habits: ["name", "description", "type", "frequency", "repeat('x', 600)", ...authors],
  habit_completions: [],
  habit_amounts: [],
  todos: ["title", "context", "description", "recurrence", ...authors],
  reminders: ["status"],
  deletions: [],
  action_log: wordsIn(`
  door token_id client_name tool arguments outcome message resource_name before after`),
  action_images: ["before", "after"],
};

/**
 * A user's rows and history in bytes, counted by hand: each row counts 200 bytes with its owner's name, and its
 * texts. A habit has two lists.
 */
export async function storedBytes(store: Store, sub: string): Promise<number> {
  let bytes = 0;
  for (const [table, columns] of Object.entries(tables)) {
    const texts = ["user_id", ...columns].map((column) => `coalesce(octet_length(${column}), 0)`).join(" + ");
    const { rows } = await store.query(
      `select coalesce(sum(200 + ${texts}), 0)::float8 as bytes from ${table} where user_id = $1`,
      [sub],
    );
    bytes += rows[0].bytes;
  }
  return bytes;
}

/** The same, as workers count it once they have taken the account up. */
export async function countedBytes(database: Database, sub: string): Promise<number> {
  const isKnown = "select from account_bytes where user_id = $1";
  await eventually(async () => (await database.pool.query(isKnown, [sub])).rows.length > 0);
  await countAccounts(database, [sub]);
  const { rows } = await database.pool.query(
    "select kept::float8 as bytes from account_bytes where user_id = $1",
    [sub],
  );
  return rows[0].bytes;
}
