import type { Static } from "typebox";
import type { LoggedAction } from "../../../shared/contracts/action/contracts.ts";
import type { ActionRow } from "../../../shared/db/entities.ts";
import { literal, sql } from "../../../shared/db/reads/sql.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import type { Call } from "../../../shared/queue/batch.ts";
import { allOf, type Condition, type QueryContext, type QueryHandler } from "../engine/context.ts";
import {
  type ActionFilters,
  type ActionPlace,
  actionConditions,
  isFromPlace,
  logOf,
  rangeConditions,
} from "./filters.ts";

const defaultLimit = 50;
/** A page with few matches ends after this many calls; its cursor continues from there. */
const mostLookedAt = 5_000;
/** Measured: a busy machine searches this much in 0.3 s, and PostgreSQL stops a read after 0.8 s. */
const mostBytesSearched = 8_000_000;

/** Pages go by keyset, newest first, so calls that come in between are neither repeated nor skipped. */
export const readActions: QueryHandler<"action.list"> = async (query, input) => {
  const { limit = defaultLimit, ...filters } = input;
  const end = await endOfPage(query, filters);
  const found = await query.rows(sql<ReadRow>`
    select ${actionColumns}
    from ${logOf(query, filters)} a
    where ${allOf(...actionConditions(filters), ...(end ? [isFromPlace(end)] : []))}
    order by a.called_at desc, a.request_id desc
    limit ${limit + 1}`);
  const actions = found.slice(0, limit).map(presentAction);
  const last = found.length > limit ? actions.at(-1) : undefined;
  return { actions, next_cursor: (last ? cursorOf(last) : end) ?? null };
};

export type ReadRow = Omit<ActionRow, "user_id" | "others">;

/** The columns of rows `a` of the log. */
export const actionColumns = sql`a.request_id, a.called_at, a.door, a.token_id, a.client_name, a.tool, a.arguments,
  a.outcome, a.message, a.resource_kind, a.resource_id, a.resource_name, a.before, a.after, a.undone_by, a.replayed,
  a.calls, a.duration_ms`;

export const presentAction = (row: ReadRow): Static<typeof LoggedAction> => ({
  ...row,
  duration_ms: Number(row.duration_ms),
  called_at: timestamp(row.called_at),
  client_name: row.client_name ?? null,
  message: row.message ?? null,
  resource_kind: row.resource_kind ?? null,
  resource_id: row.resource_id ?? null,
  resource_name: row.resource_name ?? null,
  before: row.before ?? null,
  after: row.after ?? null,
  undone_by: row.undone_by ?? null,
});

/**
 * Cursor where the scan limit was reached.
 * @returns undefined when the filters exclude no row, or fewer rows are left than the limit
 */
export async function endOfPage(query: QueryContext, filters: ActionFilters): Promise<string | undefined> {
  // Nearly all that an index finds of a thing is shown.
  if (filters.thing !== undefined && filters.q === undefined) return undefined;
  const conditions = rangeConditions(filters);
  if (actionConditions(filters).length === conditions.length) return undefined;
  const inRange = sql`from ${logOf(query, filters)} a where ${allOf(...conditions)}
    order by a.called_at desc, a.request_id desc`;
  const [end] = await query.rows(
    filters.q === undefined
      ? sql<ActionPlace>`select a.called_at, a.request_id ${inRange} limit 1 offset ${literal(mostLookedAt - 1)}`
      : endOfSearch(inRange),
  );
  return end && cursorOf(end);
}

/** A search reads texts, so it looks at fewer rows where they are long. */
const endOfSearch = (inRange: Condition) => sql<ActionPlace>`
  select called_at, request_id from (
    select called_at, request_id, row_number() over newest as place, sum(bytes) over newest as bytes
    from (select a.called_at, a.request_id, octet_length(a.arguments) + coalesce(octet_length(a.before), 0)
      + coalesce(octet_length(a.after), 0) as bytes ${inRange} limit ${literal(mostLookedAt)}) looked
    window newest as (order by called_at desc, request_id desc)
  ) measured
  where bytes >= ${literal(mostBytesSearched)} or place = ${literal(mostLookedAt)}
  order by place limit 1`;

/** The cursor of the page that follows an action. */
export const cursorOf = ({ called_at, request_id }: ActionPlace): string =>
  `${timestamp(called_at)}_${request_id}`;

/** Jumps from token to token along the index, so that a long log costs no more than a short one. */
export const readTokens: QueryHandler<"action.tokens"> = async ({ own, rows }) => {
  const found = await rows(sql<{ token_id: string; client_name: string | null; called_at: string }>`
    with recursive seen as (
      (select a.token_id, a.client_name, a.called_at from ${own("action_log")} a
       order by a.token_id, a.called_at desc limit 1)
      union all
      select next.* from seen, lateral (
        select a.token_id, a.client_name, a.called_at from ${own("action_log")} a
        where a.token_id > seen.token_id
        order by a.token_id, a.called_at desc limit 1
      ) next
    )
    select token_id, client_name, called_at from seen order by called_at desc, token_id`);
  return {
    tokens: found.map(({ called_at, ...row }) => ({ ...row, last_called_at: timestamp(called_at) })),
  };
};

/** True if a call's row is known to be stored: a worker's answer can get lost after the commit. */
export async function isLogged(
  { own, rows }: QueryContext,
  { requestId, startedAt }: Pick<Call, "requestId" | "startedAt">,
): Promise<boolean> {
  const calledAt = new Date(startedAt).toISOString();
  const found = await rows(
    sql`select a.outcome from ${own("action_log")} a
      where a.called_at = ${calledAt}::timestamptz and a.request_id = ${requestId}::uuid`,
  ).catch(() => []);
  return found.length > 0;
}
