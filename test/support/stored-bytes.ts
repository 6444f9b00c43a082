import type { Pool } from "pg";
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

/** The same, by the ledger. */
export async function accountBytes(store: Store, sub: string): Promise<number> {
  const { rows } = await store.query(
    `select coalesce(sum(bytes), 0)::float8 as bytes from byte_ledger
     where user_id = $1 and kind not in ('growth', 'replies') and (kind = 'things' or expires_at > now())`,
    [sub],
  );
  return rows[0].bytes;
}
