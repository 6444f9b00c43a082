import { literal, type Sql, sql } from "../../../shared/db/reads/sql.ts";
import type { Condition, QueryContext } from "./context.ts";

export const pageSize = 15;

/** Optional parts of a list's statement: a subquery that counts all that the pages share, and the rows wanted. */
export type Extent = Readonly<{ total?: Condition; limit?: number; offset?: number }>;

/**
 * Uses constants where possible, because coalesced reads take no other limits. Pages beyond the first need
 * parameters.
 */
export function limitClause({ limit, offset = 0 }: Extent): Condition {
  if (limit === undefined) return sql``;
  return offset === 0 ? sql`limit ${literal(limit)}` : sql`limit ${literal(limit)} offset ${offset}`;
}

type Total = { total: number };

/** A kind of list: how to count, read and present it. */
type List<Row extends Total, Item> = Readonly<{
  /** The list's path below /api/v1. */
  path: string;
  count: Sql<Total>;
  rows(extent: Extent): Sql<Row>;
  present(rows: readonly Row[]): Item[];
}>;

/** Reads a page with its links. Beyond the last page there is no data, `meta` is true, and `prev` is the last page. */
export async function readPage<Row extends Total, Item>(
  query: QueryContext,
  { page = 1, ...filters }: Readonly<{ page?: number }>,
  list: List<Row, Item>,
) {
  const offset = (page - 1) * pageSize;
  const rows = await query.rows(list.rows({ total: list.count, limit: pageSize, offset }));
  // The total is a column of every row, so only a page beyond the last has to ask for it.
  const [counted] = rows.length > 0 || page === 1 ? rows : await query.rows(list.count);
  const total = counted?.total ?? 0;
  const lastPage = Math.max(1, Math.ceil(total / pageSize));
  // Links begin with BASE_URL and never come from the Host header.
  const pages = `${query.baseUrl}/api/v1/${list.path}?${queryOf(filters)}`;
  const link = (target: number) => `${pages}page=${target}`;
  return {
    data: list.present(rows),
    links: {
      first: link(1),
      last: link(lastPage),
      prev: page > 1 ? link(Math.min(page - 1, lastPage)) : null,
      next: page < lastPage ? link(page + 1) : null,
    },
    meta: { current_page: page, last_page: lastPage, per_page: pageSize, total },
  };
}

/** The request's filters, which every link keeps, before the page. */
function queryOf(filters: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) if (value != null) query.set(name, String(value));
  return query.size > 0 ? `${query}&` : "";
}
