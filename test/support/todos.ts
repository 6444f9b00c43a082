import { query } from "./reminder/stack.ts";

/**
 * Stores todos of a user as commands would leave them, numbered by n from 1 on.
 * @param columns as SQL, where they differ from those of plain todos
 */
export function storeTodos(
  databaseUrl: string,
  userId: string,
  count: number,
  columns: Readonly<Record<string, string>> = {},
) {
  const all = {
    ...{ user_id: `'${userId}'`, id: "1000000 + n", title: "'Todo ' || n", is_completed: "false" },
    ...{ recurrence_from: "'due'", created_at: "now()", updated_at: "now()", ...columns },
  };
  const values = `select ${Object.values(all)} from generate_series(1, ${count}) n`;
  return query(databaseUrl, `insert into todos (${Object.keys(all)}) ${values}`);
}
