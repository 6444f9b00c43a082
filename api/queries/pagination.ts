import { sql } from "kysely";
import type { Condition } from "./context.ts";

/** Spec §4.5. */
export const pageSize = 15;

type Place = Readonly<{
  /** Absolute, on BASE_URL: never built from the Host header. */
  url: string;
  /** The request's filters, kept in every link. */
  filters: Readonly<Record<string, unknown>>;
  page: number;
}>;

export const offsetOf = (page: number): number => (page - 1) * pageSize;

/** How much of what meets a condition: a `limit` clause, and a statement that counts all of it beside each row. */
export type Extent = Readonly<{ total?: Condition; limit?: Condition }>;

export const pageOf = (page: number): Condition => sql`limit ${pageSize} offset ${offsetOf(page)}`;

/** The envelope of a list. Beyond the last page: no data, true meta, and `prev` is the last page. */
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

/** The total rides on every row; a page without rows, beyond the last, has to ask for it. */
export async function totalOf(
  rows: readonly { total: number }[],
  page: number,
  count: () => Promise<number>,
): Promise<number> {
  const first = rows[0];
  if (first) return first.total;
  return page === 1 ? 0 : count();
}
