import { sql } from "kysely";
import type { Names } from "../../shared/contracts/tool-sentence.ts";
import type { QueryContext } from "./context.ts";

/** The present names of a user's habits and todos; what is deleted has none. */
export async function namesOf(
  { db, userId }: QueryContext,
  ids: Readonly<{ habits: number[]; todos: number[] }>,
): Promise<Names> {
  const [habits, todos] = await Promise.all([
    sql<Named>`select id, name from habits where user_id = ${userId} and id = any(${ids.habits}::bigint[])`.execute(
      db,
    ),
    sql<Named>`select id, title as name from todos where user_id = ${userId} and id = any(${ids.todos}::bigint[])`.execute(
      db,
    ),
  ]);
  return { habits: byId(habits.rows), todos: byId(todos.rows) };
}

type Named = { id: number; name: string };

const byId = (rows: readonly Named[]) => new Map(rows.map(({ id, name }) => [id, name]));
