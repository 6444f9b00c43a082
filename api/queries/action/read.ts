import type { LoggedAction } from "../../../shared/contracts/action/contracts.ts";
import type { InputOf, Queries } from "../../../shared/contracts/catalogue.ts";
import { previewOfTool } from "../../../shared/contracts/kernel/preview.ts";
import type { ActionRow } from "../../../shared/db/entities.ts";
import { join, literal, type Sql, sql } from "../../../shared/db/reads/sql.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import type { ActionKind } from "../../../shared/domain/vocabulary.ts";
import type { Call } from "../../../shared/queue/batch.ts";
import { requestFamily } from "../../../shared/queue/command-id.ts";
import { allOf, anyOf, type Condition, type QueryContext, type QueryHandler } from "../engine/context.ts";
import { searchPattern } from "../engine/search.ts";
import { resourceRead } from "./things.ts";

const defaultLimit = 50;
/** A page with few matches ends after this many calls; its cursor continues from there. */
const mostLookedAt = 5_000;
/** Measured: a busy machine searches this much in 0.3 s, and PostgreSQL stops a read after 0.8 s. */
const mostBytesSearched = 8_000_000;

/** Pages go by keyset, newest first, so calls that come in between are neither repeated nor skipped. */
export const readActions: QueryHandler<"action.list"> = async (query, input) => {
  const { limit = defaultLimit, ...filters } = input;
  const end = await endOfPage(query, filters);
  const found = await query.rows(sql<LoggedAction>`
    select ${actionColumns}
    from ${logOf(query, filters)} a
    where ${allOf(...actionConditions(filters), ...(end ? [isFromPlace(end)] : []))}
    order by a.called_at desc, a.request_id desc
    limit ${limit + 1}`);
  const actions = found.slice(0, limit).map(presentAction);
  const last = found.length > limit ? actions.at(-1) : undefined;
  return { actions, next_cursor: (last ? cursorOf(last) : end) ?? null };
};

/** The columns of rows `a` of the log. */
export const actionColumns = sql`a.request_id, a.called_at, a.door, a.token_id, a.client_name, a.tool, a.arguments,
  a.outcome, a.message, a.resource_kind, a.resource_id, a.resource_name, a.before, a.after, a.undone_by, a.replayed,
  a.calls, a.duration_ms`;

export const presentAction = (row: LoggedAction): LoggedAction => ({
  ...row,
  duration_ms: Number(row.duration_ms),
  called_at: timestamp(row.called_at),
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

/** The actions with these keys. */
export async function readThese(
  { own, rows }: QueryContext,
  keys: readonly ActionPlace[],
): Promise<readonly LoggedAction[]> {
  if (keys.length === 0) return [];
  const listed = keys.map(
    ({ called_at, request_id }) => sql`(${called_at}::timestamptz, ${request_id}::uuid)`,
  );
  const found = await rows(sql<LoggedAction>`select ${actionColumns} from ${own("action_log")} a
    where (a.called_at, a.request_id) in (${join(listed)})`);
  return found.map(presentAction);
}

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

export type ActionFilters = Omit<InputOf<Queries["action.list"]>, "limit">;
type ActionPlace = Pick<ActionRow, "called_at" | "request_id">;

/** The conditions of the filters on rows `a` of the action log. */
export function actionConditions(filters: ActionFilters): Condition[] {
  const { kinds, effect, q, thing: _, door, tool, outcome, undoable, ...range } = filters;
  const conditions = rangeConditions(range);
  if (kinds !== undefined) conditions.push(anyOf(kinds.map((kind) => ofKind[kind])));
  if (effect !== undefined) conditions.push(sql`${effectOf} = ${effect}`);
  if (door !== undefined) conditions.push(sql`a.door = ${door}`);
  if (tool !== undefined) conditions.push(sql`a.tool = ${tool}`);
  if (outcome !== undefined) conditions.push(sql`a.outcome = ${outcome}`);
  if (undoable) conditions.push(sql`(a.before is not null or a.after is not null) and a.undone_by is null`);
  if (q !== undefined) conditions.push(mentions(q));
  return conditions;
}

/** Conditions that an index serves, so no row is read in vain. */
export function rangeConditions({ token_id, from, to, cursor }: ActionFilters): Condition[] {
  const conditions: Condition[] = [];
  if (token_id !== undefined) conditions.push(sql`a.token_id = ${token_id}`);
  if (from !== undefined) conditions.push(sql`a.called_at >= ${from}::timestamptz`);
  if (to !== undefined) conditions.push(sql`a.called_at < ${to}::timestamptz`);
  if (cursor !== undefined) conditions.push(sql`(a.called_at, a.request_id) < ${placeOf(cursor)}`);
  return conditions;
}

/** Rows from a place in the log downwards; one of them has that place. */
export const isFromPlace = (cursor: string): Condition =>
  sql`(a.called_at, a.request_id) >= ${placeOf(cursor)}`;

function placeOf(cursor: string): Sql {
  const [calledAt, requestId] = cursor.split("_");
  return sql`(${calledAt}::timestamptz, ${requestId}::uuid)`;
}

/** Names of tools that read begin with `get-` (test/architecture/tools.test.ts). A preview is a read, too. */
const isReading = sql`(a.tool like 'get-%' or a.tool like ${literal(previewOfTool("%"))} or a.tool = ${literal(resourceRead)})`;
const ofKind: Readonly<Record<ActionKind, Condition>> = {
  read: sql`(a.outcome = 'ok' and ${isReading})`,
  change: sql`(a.outcome = 'ok' and not ${isReading})`,
  refusal: sql`a.outcome <> 'ok'`,
};

const isEmpty = (image: Sql): Sql => sql`coalesce(${image}, '{}') = '{}'`;
const imagesMatch = (pattern: string): Sql => sql`concat(a.before, a.after) ~ ${literal(pattern)}`;
/** A reminder is a part of its todo, so it is never made or deleted by itself. */
const hasThing = (image: Sql): Sql => sql`${image} ~ ${literal('"(categories|habits|todos)/[0-9]+"')}`;
const isTickOfHabit = imagesMatch(String.raw`^(\{\})?\[?\{"habit_`);
/** A row of a person's undo. An agent's tool can have any name. */
export const isUndo = sql`(a.door = 'page' and a.tool = 'action.undo')`;
/** The effect of an action `a`, read from its images, because one tool can do several things. */
export const effectOf = sql`case
  when a.outcome = 'waiting' then 'asked'
  when a.outcome <> 'ok' then 'refused'
  when ${isReading} then 'read'
  when ${isUndo} then 'took back'
  when a.door = 'page' and a.tool = 'import.apply' then 'imported'
  when ${isTickOfHabit} then 'ticked'
  when ${isEmpty(sql`a.after`)} and ${hasThing(sql`a.before`)} then 'deleted'
  when ${isEmpty(sql`a.before`)} and ${hasThing(sql`a.after`)} then 'made'
  when ${imagesMatch('"habit_[^"]*":|"(is_)?completed[^"]*":')} then 'ticked'
  when ${imagesMatch('"due_date":')} then 'moved'
  else 'changed' end`;

/** True if a text can be the `X-Request-Id` of an answer. */
export const isRequestId = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);

const isOfRequest = (id: string): Condition =>
  sql`left(a.request_id::text, ${literal(requestFamily(id).length)}) = ${requestFamily(id)}`;

/** The user's log, or the part of it about one thing; an index finds that, in the order of time. */
export function logOf({ own }: Pick<QueryContext, "own">, { thing }: Pick<ActionFilters, "thing">): Sql {
  if (thing === undefined) return own("action_log");
  const [kind, id] = thing.split("/");
  const newestFirst = sql`order by l.called_at desc, l.request_id desc`;
  return sql`(
    (select l.* from ${own("action_log")} l
     where l.resource_kind = ${kind} and l.resource_id = ${id}::bigint ${newestFirst})
    union all
    (select l.* from ${own("action_log")} l
     where l.others is not null and l.others @> array[${thing}]::text[] ${newestFirst})
  )`;
}

/** A search looks only at texts in the JSON, in their stored form, because every row has names of fields. */
function mentions(q: string): Condition {
  const pattern = searchPattern(q);
  const written = searchPattern(JSON.stringify(q).slice(1, -1));
  const inText = String.raw`:"(?:[^"\\]|\\.)*(?:${written})`;
  const texts = [sql`a.resource_name`, sql`a.message`].map((text) => sql`${text} ~ ${pattern}`);
  const json = [sql`a.before`, sql`a.after`, sql`a.arguments`].map((text) => sql`${text} ~ ${inText}`);
  return anyOf([...texts, ...json, ...(isRequestId(q) ? [isOfRequest(q)] : [])]);
}

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
