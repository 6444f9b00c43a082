import { sql } from "kysely";
import type { Condition } from "./context.ts";

const pageSize = 15;

type Place = Readonly<{
  /** Absolute, on BASE_URL: never built from the Host header. */
  url: string;
  /** The request's filters, kept in every link. */
  filters: Readonly<Record<string, unknown>>;
  page: number;
}>;

/** Optional parts of a list's statement: a LIMIT clause, and a subquery that counts all that the pages share. */
export type Extent = Readonly<{ total?: Condition; limit?: Condition }>;

/** The first page's is a constant, because reads that are batched can take no other. */
export const limitClause = (page: number): Condition =>
  page === 1 ? sql`limit ${sql.lit(pageSize)}` : sql`limit ${pageSize} offset ${(page - 1) * pageSize}`;

/** A page with its links. Beyond the last page there is no data, `meta` is true, and `prev` is the last page. */
export function paginate<Item>(data: Item[], total: number, { url, filters, page }: Place) {
  const lastPage = Math.max(1, Math.ceil(total / pageSize));
  const link = (target: number): string => `${url}?${queryOf(filters, target)}`;
  return {
    data,
    links: {
      first: link(1),
      last: link(lastPage),
      prev: page > 1 ? link(Math.min(page - 1, lastPage)) : null,
      next: page < lastPage ? link(page + 1) : null,
    },
    meta: { current_page: page, last_page: lastPage, per_page: pageSize, total },
  };
}

function queryOf(filters: Place["filters"], page: number): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) if (value != null) query.set(name, String(value));
  query.set("page", String(page));
  return query.toString();
}

type Total = { total: number };

/** The total is a column of every row; only a page beyond the last has no row and asks for it. */
export async function totalOf(
  rows: readonly Total[],
  page: number,
  count: () => Promise<Total[]>,
): Promise<number> {
  const [first] = rows.length > 0 || page === 1 ? rows : await count();
  return first?.total ?? 0;
}
