import { refuseCategory } from "../../../shared/contracts/category/fields.ts";
import type { CategoryRow } from "../../../shared/db/entities.ts";
import { type CategoryRefRow, presentCategory } from "../../../shared/db/present.ts";
import { sql } from "../../../shared/db/reads/sql.ts";
import { categoriesNamed } from "../../../shared/domain/category/by-name.ts";
import { notFound, type Refused } from "../../../shared/errors.ts";
import type { QueryContext, QueryHandler } from "../engine/context.ts";
import { limitClause, readPage } from "../engine/pagination.ts";

export const readCategories: QueryHandler<"category.list"> = (query, input) => {
  const categories = query.own("categories");
  return readPage(query, input, {
    path: "categories",
    count: sql<{ total: number }>`select count(*) as total from ${categories} c`,
    rows: ({ total = sql`0`, ...extent }) => sql<CategoryRow & { total: number }>`
      select c.*, (${total}) as total from ${categories} c order by c.id ${limitClause(extent)}`,
    present: (rows) => rows.map(presentCategory),
  });
};

export const readCategory: QueryHandler<"category.get"> = async ({ own, rows }, { category_id }) => {
  const [row] = await rows(
    sql<CategoryRow>`select c.* from ${own("categories")} c where c.id = ${category_id}::bigint`,
  );
  return row ? presentCategory(row) : notFound("Category");
};

/** All categories of the user, oldest first; a quota bounds their number. */
export const readCategoryRefs = ({ own, rows }: QueryContext): Promise<CategoryRefRow[]> =>
  rows(sql<CategoryRefRow>`select c.id, c.name, c.color from ${own("categories")} c order by c.id`);

/** The ids of the categories that a name means, or the refusal that lists the known ones. */
export async function categoryIdsOf(query: QueryContext, name: string): Promise<number[] | Refused> {
  const categories = await readCategoryRefs(query);
  const found = categoriesNamed(categories, name);
  return found.length > 0 ? found.map(({ id }) => id) : refuseCategory(categories);
}

/** A habit's or todo's category as columns of its own row. */
export type CategoryColumns = { category_name: string | null; category_color: string | null };

/** @returns undefined when the row has no category */
export function categoryOf(
  row: CategoryColumns & { category_id?: number | null | undefined },
): CategoryRefRow | undefined {
  const { category_id: id, category_name: name, category_color: color } = row;
  return id == null || name === null || color === null ? undefined : { id, name, color };
}
