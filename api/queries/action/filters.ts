import { contracts, type InputOf, type Queries } from "../../../shared/contracts/catalogue.ts";
import { resourceRead } from "../../../shared/contracts/kernel/mcp-resource.ts";
import { previewOfTool } from "../../../shared/contracts/kernel/preview.ts";
import type { ActionRow } from "../../../shared/db/entities.ts";
import { join, literal, type Sql, sql } from "../../../shared/db/reads/sql.ts";
import type { ActionKind } from "../../../shared/domain/vocabulary.ts";
import { requestFamily } from "../../../shared/queue/command-id.ts";
import { anyOf, type Condition, type QueryContext } from "../engine/context.ts";
import { searchPattern } from "../engine/search.ts";

export type ActionFilters = Omit<InputOf<Queries["action.list"]>, "limit">;
export type ActionPlace = Pick<ActionRow, "called_at" | "request_id">;

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

const readTools = contracts.flatMap(({ kind, mcp }) => (kind === "query" && mcp ? [mcp.name] : []));
const previews = contracts.flatMap(({ kind, mcp }) =>
  kind === "command" && mcp ? [previewOfTool(mcp.name)] : [],
);
const isReading = sql`a.tool in (${join([...readTools, resourceRead, ...previews].map(literal))})`;
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
