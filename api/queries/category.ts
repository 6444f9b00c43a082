import { sql } from "kysely";
import type { CategoryRow } from "../../shared/db/entities.ts";
import { type CategoryRefRow, presentCategory } from "../../shared/db/present.ts";
import { notFound } from "../../shared/errors.ts";
import type { QueryContext, QueryHandler } from "./context.ts";
import { limitClause, paginate, totalOf } from "./pagination.ts";

export const list: QueryHandler<"category.list"> = async (query, { page = 1 }) => {
  const rows = await query.rows(sql<CategoryRow & { total: number }>`
    select c.*, (${countOf(query)}) as total
    from ${query.own("categories")} c
    order by c.id ${limitClause(page)}`);
  const total = await totalOf(rows, page, () => query.rows(countOf(query)));
  return paginate(rows.map(presentCategory), total, {
    url: `${query.baseUrl}/api/v1/categories`,
    filters: {},
    page,
  });
};

const countOf = ({ own }: QueryContext) =>
  sql<{ total: number }>`select count(*) as total from ${own("categories")} c`;

export const get: QueryHandler<"category.get"> = async ({ own, rows }, { category_id }) => {
  const [row] = await rows(
    sql<CategoryRow>`select c.* from ${own("categories")} c where c.id = ${category_id}::bigint`,
  );
  return row ? presentCategory(row) : notFound("Category");
};

/** A habit's or todo's category as columns of its own row. */
export type CategoryColumns = { category_name: string | null; category_color: string | null };

/** @returns undefined when the row has no category */
export function categoryOf(
  row: CategoryColumns & { category_id?: number | null | undefined },
): CategoryRefRow | undefined {
  const { category_id: id, category_name: name, category_color: color } = row;
  return id == null || name === null || color === null ? undefined : { id, name, color };
}
