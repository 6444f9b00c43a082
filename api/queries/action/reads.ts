import { sql } from "../../../shared/db/reads/sql.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import { allOf, type QueryContext } from "../engine/context.ts";
import { type ActionFilters, actionConditions, isFromPlace, logOf } from "./filters.ts";

/** A number of equal reads by a token, and the time of the last. */
export type ReadCount = Readonly<{
  token_id: string;
  client_name: string | null;
  tool: string;
  reads: number;
  called_at: string;
}>;

/**
 * The reads among a page's rows, by token, tool and quarter of an hour, because a day of any zone is made of whole
 * quarters.
 * @param next the cursor of the next page, if there is one
 */
export async function readReadCounts(
  query: QueryContext,
  filters: ActionFilters,
  next: string | null,
): Promise<readonly ReadCount[]> {
  const conditions = actionConditions({ ...filters, kinds: ["read"] });
  const found = await query.rows(sql<ReadCount>`
    select a.token_id, max(a.client_name) as client_name, a.tool, count(*)::int as reads, max(a.called_at) as called_at
    from ${logOf(query, filters)} a
    where ${allOf(...conditions, ...(next === null ? [] : [isFromPlace(next)]))}
    group by a.token_id, a.tool, date_bin('15 minutes', a.called_at, 'epoch'::timestamptz)
    order by called_at desc`);
  return found.map((row) => ({
    ...row,
    client_name: row.client_name ?? null,
    called_at: timestamp(row.called_at),
  }));
}
