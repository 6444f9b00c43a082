import type { CategoryRow, HabitRow, TodoRow } from "../../../shared/db/entities.ts";
import type { ResourceKind } from "../../../shared/domain/vocabulary.ts";
import type { QueryContext } from "../engine/context.ts";
import { sql } from "../engine/sql.ts";

/** The maker of a thing and the last to change it, as rows have them. */
type Authors = Pick<CategoryRow | HabitRow | TodoRow, "created_by" | "changed_by">;

const tables = { category: "categories", habit: "habits", todo: "todos" } as const;

/** @returns undefined when the thing does not exist */
export async function readAuthors(
  { own, rows }: QueryContext,
  kind: ResourceKind,
  id: number,
): Promise<Authors | undefined> {
  const [found] = await rows(
    sql<Authors>`select t.created_by, t.changed_by from ${own(tables[kind])} t where t.id = ${id}::bigint`,
  );
  return found;
}
