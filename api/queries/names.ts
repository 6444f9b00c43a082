import { sql } from "kysely";
import type { Names } from "../../shared/contracts/tool-sentence.ts";
import type { QueryContext } from "./context.ts";

type Named = { id: number; name: string };

/** The present names of a user's habits and todos; what is deleted has none. */
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
