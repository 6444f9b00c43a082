import { sql } from "kysely";
import type { QueryContext } from "./context.ts";

/** Names of habits and titles of todos by id. */
export type Names = Readonly<{ habits: ReadonlyMap<number, string>; todos: ReadonlyMap<number, string> }>;

type Named = { id: number; name: string };

/** The present names of a user's habits and todos. What was deleted has none. */
export async function namesOf(
  { own, rows }: QueryContext,
  ids: Readonly<{ habits: number[]; todos: number[] }>,
): Promise<Names> {
  const [habits, todos] = await Promise.all([
    rows(sql<Named>`select h.id, h.name from ${own("habits")} h where h.id = any(${ids.habits}::bigint[])`),
    rows(
      sql<Named>`select t.id, t.title as name from ${own("todos")} t where t.id = any(${ids.todos}::bigint[])`,
    ),
  ]);
  return { habits: byId(habits), todos: byId(todos) };
}

const byId = (rows: readonly Named[]) => new Map(rows.map(({ id, name }) => [id, name]));
