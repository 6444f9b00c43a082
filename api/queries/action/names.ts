import { sql } from "../../../shared/db/reads/sql.ts";
import type { QueryContext } from "../engine/context.ts";

/** Present names of a user's things, by the names of their rows, such as `todos/5`. Deleted things have none. */
export type ThingNames = ReadonlyMap<string, string>;

/** @param things names of rows */
export async function namesOf({ own, rows }: QueryContext, things: Iterable<string>): Promise<ThingNames> {
  const all = [...things];
  const idsOf = (table: string) => all.filter((row) => row.startsWith(table)).map((row) => row.split("/")[1]);
  const named = await rows(sql<{ thing: string; name: string }>`
    select 'habits/' || h.id as thing, h.name from ${own("habits")} h
    where h.id = any(${idsOf("habits")}::bigint[])
    union all select 'todos/' || t.id, t.title from ${own("todos")} t
    where t.id = any(${idsOf("todos")}::bigint[])
    union all select 'categories/' || c.id, c.name from ${own("categories")} c
    where c.id = any(${idsOf("categories")}::bigint[])`);
  return new Map(named.map(({ thing, name }) => [thing, name]));
}
