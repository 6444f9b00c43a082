import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from "kysely";
import type { LoggedAction } from "../../../shared/contracts/action/contracts.ts";
import type { InputOf, Queries } from "../../../shared/contracts/catalogue.ts";
import { previewOfTool } from "../../../shared/contracts/kernel/preview.ts";
import { ActionEntity, type ActionRow } from "../../../shared/db/entities.ts";
import { columnsBut } from "../../../shared/db/present.ts";
import {
  type Found,
  namesGiven,
  own,
  parameters,
  type RowOf,
  selectFrom,
  statement,
  statements,
} from "../../../shared/db/reads/statement.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import type { ActionEffect, ActionKind } from "../../../shared/domain/vocabulary.ts";
import type { Call } from "../../../shared/queue/batch.ts";
import { requestFamily } from "../../../shared/queue/command-id.ts";
import type { QueryContext, QueryHandler } from "../engine/context.ts";
import { searchPattern } from "../engine/search.ts";
import { resourceRead } from "./things.ts";

const defaultLimit = 50;
/** A page with few matches ends after this many calls; its cursor continues from there. */
const mostLookedAt = 5_000;
/** Measured: a busy machine searches this much in 0.3 s, and PostgreSQL stops a read after 0.8 s. */
const mostBytesSearched = 8_000_000;

export const actionRange = { token_id: "text", from: "timestamptz", to: "timestamptz" } as const;
export const actionValues = {
  ...actionRange,
  ...({ cursor_at: "timestamptz", cursor_id: "uuid", end_at: "timestamptz", end_id: "uuid" } as const),
  ...({ effect: "text", door: "text", tool: "text", outcome: "text", limit: "integer" } as const),
  ...({ pattern: "text", pattern_in_json: "text", request: "text" } as const),
  ...({ thing: "text", thing_kind: "text", thing_id: "bigint", kinds: "text[]" } as const),
};
const value = parameters(actionValues);

export const action = expressionBuilder<{ a: RowOf<"action_log"> }, "a">();
const { ref, and, or } = action;
type Condition = Expression<SqlBool>;

export const oldestFirst = sql`${ref("a.called_at")}, ${ref("a.request_id")}`;
/** An index serves these, so no row is read in vain. */
const rangeOf = {
  token: action("a.token_id", "=", value("token_id")),
  from: action("a.called_at", ">=", value("from")),
  to: action("a.called_at", "<", value("to")),
  cursor: sql<boolean>`(${oldestFirst}) < (${value("cursor_at")}, ${value("cursor_id")})`,
  /** Down to a place in the log; one of the rows has that place. */
  end: sql<boolean>`(${oldestFirst}) >= (${value("end_at")}, ${value("end_id")})`,
  /** `actionsWhere` has the condition. */
  thing: and([]),
};

export const actionColumns = columnsBut(ActionEntity.meta, ["user_id", "others"]).map(
  (column) => `a.${column}` as const,
);
export const newestFirst = sql`${ref("a.called_at")} desc, ${ref("a.request_id")} desc`;

/**
 * The rows of the log that meet all the conditions.
 * @param most how many the reader takes; without it PostgreSQL may read all of a thing's rows to sort them
 */
export function actionsWhere(wanted: ActionConditions = [], most?: Expression<number>) {
  const log = selectFrom(own("action_log").as("a")).where(and(wanted.map((name) => conditionOf[name])));
  if (!wanted.includes("thing")) return log;
  const part = (isOfThing: Condition) => {
    const found = log.selectAll("a").where(isOfThing).orderBy(newestFirst);
    return most ? found.limit(most) : found;
  };
  return selectFrom(sql<RowOf<"action_log">>`(${part(isAlone)} union all ${part(isAmongOthers)})`.as("a"));
}

const page = statements(actionValues, (_, wanted: ActionConditions) =>
  actionsWhere(wanted, value("limit")).select(actionColumns).orderBy(newestFirst).limit(value("limit")),
);

/** Pages go by keyset, newest first, so calls that come in between are neither repeated nor skipped. */
export const readActions: QueryHandler<"action.list"> = async (query, input) => {
  const { limit = defaultLimit, ...filters } = input;
  const end = await endOfPage(query, filters);
  const { wanted, values } = wantedBy(filters, end);
  const found = await query.rows(page(wanted, { ...values, limit: limit + 1 }));
  const actions = found.slice(0, limit).map(presentAction);
  const last = found.length > limit ? actions.at(-1) : undefined;
  return { actions, next_cursor: (last ? cursorOf(last) : end) ?? null };
};

export const presentAction = ({ request_id, ...row }: LoggedAction): LoggedAction => ({
  ...{ request_id, ...row, called_at: timestamp(row.called_at) },
});

/**
 * Cursor where the scan limit was reached.
 * @returns undefined when the filters exclude no row, or fewer rows are left than the limit
 */
export async function endOfPage(query: QueryContext, filters: ActionFilters): Promise<string | undefined> {
  // Nearly all that an index finds of a thing is shown.
  if (filters.thing !== undefined && filters.q === undefined) return undefined;
  const { wanted, values } = wantedBy(filters);
  const range = wanted.filter((name) => name in rangeOf);
  if (range.length === wanted.length) return undefined;
  const [end] = await query.rows(endOf({ range, isSearch: filters.q !== undefined }, values));
  return end && cursorOf(end);
}

const endOf = statements(
  actionValues,
  (_, { isSearch, range }: Readonly<{ isSearch: boolean; range: ActionConditions }>) => {
    const inRange = actionsWhere(range).select(["a.called_at", "a.request_id"]).orderBy(newestFirst);
    if (!isSearch) return inRange.limit(sql.lit(1)).offset(sql.lit(mostLookedAt - 1));
    const bytes = sql<number>`octet_length(${ref("a.arguments")}) + coalesce(octet_length(${ref("a.before")}), 0)
      + coalesce(octet_length(${ref("a.after")}), 0)`;
    // A search reads texts, so it looks at fewer rows where they are long.
    return sql<ActionPlace>`
      select called_at, request_id from (
        select called_at, request_id, row_number() over newest as place, sum(bytes) over newest as bytes
        from ${inRange.select(bytes.as("bytes")).limit(sql.lit(mostLookedAt))} looked
        window newest as (order by called_at desc, request_id desc)
      ) measured
      where bytes >= ${sql.lit(mostBytesSearched)} or place = ${sql.lit(mostLookedAt)}
      order by place limit 1`;
  },
);

/** The cursor of the page that follows an action. */
export const cursorOf = ({ called_at, request_id }: ActionPlace): string =>
  `${timestamp(called_at)}_${request_id}`;

const actionsByKey = statements({ times: "timestamptz[]", ids: "uuid[]" }, (keys, count: number) => {
  const at = (index: number) => sql.lit(index + 1);
  const listed = Array.from({ length: count }, (_, index) => index).map(
    (index) => sql`((${keys("times")})[${at(index)}], (${keys("ids")})[${at(index)}])`,
  );
  return actionsWhere()
    .select(actionColumns)
    .where(sql<boolean>`(${oldestFirst}) in (${sql.join(listed)})`);
});

export async function readThese({ rows }: QueryContext, keys: readonly ActionPlace[]) {
  if (keys.length === 0) return [];
  const times = `{${keys.map(({ called_at }) => called_at).join(",")}}`;
  const ids = `{${keys.map(({ request_id }) => request_id).join(",")}}`;
  return (await rows(actionsByKey(keys.length, { times, ids }))).map(presentAction);
}

/** Jumps from token to token along the index, so that a long log costs no more than a short one. */
const tokensSeen = statement({}, () => {
  const first = actionsWhere()
    .select(["a.token_id", "a.client_name", "a.called_at"])
    .orderBy("a.token_id")
    .orderBy("a.called_at", "desc")
    .limit(sql.lit(1));
  return sql<Pick<LoggedAction, "token_id" | "client_name" | "called_at">>`
    with recursive seen as (
      ${first}
      union all
      select next.* from seen, lateral ${first.where(sql<boolean>`${ref("a.token_id")} > seen.token_id`)} next
    )
    select token_id, client_name, called_at from seen order by called_at desc, token_id`;
});

export const readTokens: QueryHandler<"action.tokens"> = async ({ rows }) => {
  const found = await rows(tokensSeen({}));
  return {
    tokens: found.map(({ called_at, ...row }) => ({ ...row, last_called_at: timestamp(called_at) })),
  };
};

/** True if a call's row is known to be stored: a worker's answer can get lost after the commit. */
export async function isLogged(
  query: QueryContext,
  { requestId: request_id, startedAt }: Pick<Call, "requestId" | "startedAt">,
): Promise<boolean> {
  const called_at = new Date(startedAt).toISOString();
  const found = await readThese(query, [{ called_at, request_id }]).catch(() => []);
  return found.length > 0;
}

export type ActionFilters = Omit<InputOf<Queries["action.list"]>, "limit">;
type ActionPlace = Pick<ActionRow, "called_at" | "request_id">;

/**
 * The conditions of filters, and their values.
 * @param end a place in the log, down to which rows are wanted
 */
export function wantedBy(filters: ActionFilters, end?: string | null) {
  const { kinds, effect, q, thing, door, tool, outcome, undoable, token_id, from, to, cursor } = filters;
  const isRequest = q !== undefined && isRequestId(q);
  const search = isRequest ? { textOrRequest: q } : { text: q };
  const [cursor_at, cursor_id] = cursor?.split("_") ?? [];
  const [end_at, end_id] = end?.split("_") ?? [];
  const [thing_kind, thing_id] = thing?.split("/") ?? [];
  return {
    wanted: namesGiven({
      ...{ token: token_id, from, to, cursor, end: end ?? undefined, thing, kinds },
      ...{ effect, door, tool, outcome, undoable: undoable || undefined, ...search },
    }),
    values: {
      ...{ token_id, from, to, cursor_at, cursor_id, end_at, end_id, effect, door, tool, outcome },
      ...{ thing, thing_kind, thing_id: thing_id === undefined ? undefined : Number(thing_id) },
      kinds: kinds && `{${kinds.join(",")}}`,
      ...(q !== undefined && { ...patternsFor(q), request: isRequest ? requestFamily(q) : undefined }),
    },
  };
}

/** Names of tools that read begin with `get-` (test/architecture/tools.test.ts). A preview is a read, too. */
const isReading = or([
  action("a.tool", "like", sql.lit("get-%")),
  action("a.tool", "like", sql.lit(previewOfTool("%"))),
  action("a.tool", "=", sql.lit(resourceRead)),
]);
const kindOf: RawBuilder<ActionKind> = sql`case when ${ref("a.outcome")} <> 'ok' then 'refusal'
  when ${isReading} then 'read' else 'change' end`;
export const isNoRead: Condition = sql`${kindOf} <> 'read'`;

type Image = Expression<string | null>;
const [before, after]: readonly [Image, Image] = [ref("a.before"), ref("a.after")];
const isEmpty = (image: Image): Condition => sql`coalesce(${image}, '{}') = '{}'`;
const imagesMatch = (pattern: string): Condition => sql`concat(${before}, ${after}) ~ ${sql.lit(pattern)}`;
/** A reminder is a part of its todo, so it is never made or deleted by itself. */
const namesThing = (image: Image): Condition =>
  sql`${image} ~ ${sql.lit('"(categories|habits|todos)/[0-9]+"')}`;
const isTickOfHabit = imagesMatch(String.raw`^(\{\})?\[?\{"habit_`);
/** A row of a person's undo. An agent's tool can have any name. */
export const isUndo: Condition = sql`(${ref("a.door")} = 'page' and ${ref("a.tool")} = 'action.undo')`;
/** The effect of an action `a`, read from its images, because one tool can do several things. */
export const effectOf: RawBuilder<ActionEffect> = sql`case
  when ${ref("a.outcome")} = 'waiting' then 'asked'
  when ${ref("a.outcome")} <> 'ok' then 'refused'
  when ${isReading} then 'read'
  when ${isUndo} then 'took back'
  when ${ref("a.door")} = 'page' and ${ref("a.tool")} = 'import.apply' then 'imported'
  when ${isTickOfHabit} then 'ticked'
  when ${isEmpty(after)} and ${namesThing(before)} then 'deleted'
  when ${isEmpty(before)} and ${namesThing(after)} then 'made'
  when ${imagesMatch('"habit_[^"]*":|"(is_)?completed[^"]*":')} then 'ticked'
  when ${imagesMatch('"due_date":')} then 'moved'
  else 'changed' end`;

/** True if a text can be the `X-Request-Id` of an answer. */
export const isRequestId = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);

const textColumns = [ref("a.resource_name"), ref("a.message")];
const jsonColumns = [before, after, ref("a.arguments")];
const mentions = [
  ...textColumns.map((text): Condition => sql`${text} ~ ${value("pattern")}`),
  ...jsonColumns.map((text): Condition => sql`${text} ~ ${value("pattern_in_json")}`),
];
const isOfRequest: Condition = sql`left(${ref("a.request_id")}::text, length(${value("request")})) = ${value("request")}`;
const conditionOf = {
  ...rangeOf,
  kinds: sql<boolean>`${kindOf} = any(${value("kinds")})`,
  effect: sql<boolean>`${effectOf} = ${value("effect")}`,
  door: sql<boolean>`${ref("a.door")} = ${value("door")}`,
  tool: action("a.tool", "=", value("tool")),
  outcome: action("a.outcome", "=", value("outcome")),
  undoable: sql<boolean>`(${before} is not null or ${after} is not null) and ${ref("a.undone_by")} is null`,
  text: or(mentions),
  textOrRequest: or([...mentions, isOfRequest]),
};

export type ActionConditions = readonly (keyof typeof conditionOf)[];

const isAlone: Condition = sql`${ref("a.resource_kind")} = ${value("thing_kind")}
  and ${ref("a.resource_id")} = ${value("thing_id")}`;
const isAmongOthers: Condition = sql`${ref("a.others")} is not null
  and ${ref("a.others")} @> array[${value("thing")}]`;

/** A search looks only at texts in the JSON, in their stored form, because every row has names of fields. */
function patternsFor(q: string) {
  const written = searchPattern(JSON.stringify(q).slice(1, -1));
  return { pattern: searchPattern(q), pattern_in_json: String.raw`:"(?:[^"\\]|\\.)*(?:${written})` };
}

const quarter = sql`date_bin('15 minutes', ${ref("a.called_at")}, 'epoch'::timestamptz)`;
const readCounts = statements(actionValues, (_, wanted: ActionConditions) =>
  actionsWhere(wanted)
    .select(({ fn }) => ["a.token_id", fn.max("a.client_name").as("client_name"), "a.tool"])
    .select(({ fn }) => [sql<number>`count(*)::int`.as("reads"), fn.max("a.called_at").as("called_at")])
    .groupBy(["a.token_id", "a.tool", quarter])
    .orderBy("called_at", "desc"),
);

/** A number of equal reads by a token, and the time of the last. */
export type ReadCount = Found<typeof readCounts>;

/**
 * The reads among a page's rows, by token, tool and quarter of an hour, because a day of any zone is made of whole
 * quarters.
 * @param next the cursor of the next page, if there is one
 */
export async function readReadCounts({ rows }: QueryContext, filters: ActionFilters, next: string | null) {
  const { wanted, values } = wantedBy({ ...filters, kinds: ["read"] }, next);
  const found = await rows(readCounts(wanted, values));
  return found.map((row) => ({ ...row, called_at: timestamp(row.called_at) }));
}
