import type { SQL } from "bun";
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

/** Holds a todo as a person at psql would, while `work` runs. */
export const holdingTodo = <T>(sql: SQL, id: number, work: () => Promise<T>): Promise<T> =>
  sql.begin(async (transaction) => {
    await transaction`select 1 from todos where id = ${id} for update`;
    return work();
  });
