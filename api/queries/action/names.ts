import type { Names } from "../../../shared/contracts/kernel/tool-sentence.ts";
import type { QueryContext } from "../engine/context.ts";
import { sql } from "../engine/sql.ts";

type Named = { id: number; name: string };

/** The present names of all kinds of things, by id. */
export type ThingNames = Names & Readonly<{ categories: ReadonlyMap<number, string> }>;
export type ThingIds = Readonly<Record<keyof ThingNames, readonly number[]>>;

/** The present names of a user's things; what is deleted has none. */
export async function namesOf({ own, rows }: QueryContext, ids: ThingIds): Promise<ThingNames> {
  const [habits, todos, categories] = await Promise.all([
    rows(sql<Named>`select h.id, h.name from ${own("habits")} h where h.id = any(${ids.habits}::bigint[])`),
    rows(
      sql<Named>`select t.id, t.title as name from ${own("todos")} t where t.id = any(${ids.todos}::bigint[])`,
    ),
    rows(
      sql<Named>`select c.id, c.name from ${own("categories")} c where c.id = any(${ids.categories}::bigint[])`,
    ),
  ]);
  return { habits: byId(habits), todos: byId(todos), categories: byId(categories) };
}

const byId = (rows: readonly Named[]) => new Map(rows.map(({ id, name }) => [id, name]));
