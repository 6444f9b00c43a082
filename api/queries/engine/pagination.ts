import { type RawBuilder, sql } from "kysely";
import type { Statement } from "../../../shared/db/reads/statement.ts";
import type { QueryContext } from "./context.ts";

const pageSize = 15;

/** The rows that a statement gives: all, so many, or so many after an offset. */
export type Extent = Readonly<{ limit?: number; isLater?: boolean }>;

/**
 * The end of a statement. Limits are constants, because coalesced reads take no others. Pages beyond the first need a
 * parameter.
 */
export function firstRows(
  { limit, isLater = false }: Extent,
  value: (name: "offset") => RawBuilder<number>,
): RawBuilder<unknown> {
  if (limit === undefined) return sql``;
  return isLater ? sql`limit ${sql.lit(limit)} offset ${value("offset")}` : sql`limit ${sql.lit(limit)}`;
}

export const countOf = sql<number>`count(*)`;

type Counted = { total: number | null };

type PartOf<Row> = (extent: Extent, offset: number) => Statement<Row>;

/** Reads some rows after an offset, and the number of all. Every row has it, so beyond the last one the first ones tell. */
export async function readCounted<Row extends Counted>(
  query: QueryContext,
  partOf: PartOf<Row>,
  { limit, offset }: Readonly<{ limit: number; offset: number }>,
) {
  const rows = await query.rows(partOf({ limit, isLater: offset > 0 }, offset));
  const isEmpty = rows.length === 0 && offset > 0;
  const [counted] = isEmpty ? await query.rows(partOf({ limit, isLater: false }, 0)) : rows;
  return { rows, total: counted?.total ?? 0 };
}

type List<Row extends Counted, Item> = Readonly<{
  /** The list's path below /api/v1. */
  path: string;
  rows: PartOf<Row>;
  present(rows: readonly Row[]): Item[];
}>;

/** Reads a page with its links. Beyond the last page there is no data, `meta` is true, and `prev` is the last page. */
export async function readPage<Row extends Counted, Item>(
  query: QueryContext,
  { page = 1, ...filters }: Readonly<{ page?: number }>,
  list: List<Row, Item>,
) {
  const part = { limit: pageSize, offset: (page - 1) * pageSize };
  const { rows, total } = await readCounted(query, list.rows, part);
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
