import {
  type LoggedAction,
  maxUndone,
  maxUndoneLength,
  type UndoConflict,
  undoDays,
} from "../../../shared/contracts/action/contracts.ts";
import { DatabaseFailure } from "../../../shared/db/database-failure.ts";
import { literal, sql } from "../../../shared/db/reads/sql.ts";
import { isSame } from "../../../shared/domain/action/image-fields.ts";
import type { BeforeAndAfter } from "../../../shared/domain/action/images.ts";
import { readImages, withinLength } from "../../../shared/domain/action/images.ts";
import { msPerDay, timestamp } from "../../../shared/domain/day/day.ts";
import type { ActionEffect } from "../../../shared/domain/vocabulary.ts";
import { isRefused } from "../../../shared/errors.ts";
import { mapGivingWay } from "../../../shared/process/give-way.ts";
import { allOf, type QueryContext } from "../engine/context.ts";
import {
  type ActionFilters,
  actionColumns,
  actionConditions,
  cursorOf,
  effectOf,
  endOfPage,
  isFromPlace,
  isUndo,
  logOf,
  presentAction,
  rangeConditions,
  readActions,
  readThese,
} from "./read.ts";

/** The facts of an action by which its run is found and counted. */
export type RunRow = Pick<LoggedAction, "called_at" | "request_id" | "door" | "token_id" | "client_name"> &
  Readonly<{
    effect: ActionEffect;
    /** The number of things that it changed, or of calls that were refused. */
    things: number;
    undone: boolean;
    /** The caller whose action it took back. */
    of: Pick<LoggedAction, "token_id" | "client_name"> | null;
  }>;

/** Actions of one token that lie close together, newest first. */
export type Run = readonly RunRow[];

/** A pause longer than this ends a run. */
const longestPauseMs = 10 * 60_000;
/** Actions that a page looks at. A longer run goes on on the next page. */
const mostInRuns = 1_000;
/** A run of more actions is one entry of the list. */
const mostSingle = 5;

/**
 * Groups actions, newest first, into the entries of a list: a run of many actions, or a single action.
 * @returns the first entries, each at the place of its newest action, and the number of actions in them
 */
export function inRuns(
  rows: readonly RunRow[],
  most: number,
): Readonly<{ entries: readonly Run[]; taken: number }> {
  const runs = runsIn(rows);
  const ends = runs
    .flatMap((run) => (run.length > mostSingle ? run.slice(0, 1) : run))
    .toSorted((a, b) => a - b);
  const taken = ends[most] ?? rows.length;
  const entries = runsIn(rows.slice(0, taken)).flatMap((run) =>
    run.length > mostSingle ? [run] : run.map((index) => [index]),
  );
  const newestFirst = entries.toSorted(([a = 0], [b = 0]) => a - b);
  return { entries: newestFirst.map((run) => run.flatMap((index) => rows[index] ?? [])), taken };
}

/** The indexes of each run's actions. */
function runsIn(rows: readonly RunRow[]): readonly (readonly number[])[] {
  const runs: number[][] = [];
  const open = new Map<string, number[]>();
  for (const [index, { token_id, called_at }] of rows.entries()) {
    const run = open.get(token_id);
    const next = rows[run?.at(-1) ?? -1];
    if (run && next && Date.parse(next.called_at) - Date.parse(called_at) <= longestPauseMs) run.push(index);
    else {
      const begun = [index];
      runs.push(begun);
      open.set(token_id, begun);
    }
  }
  return runs;
}

/** An entry of the list of actions. */
export type ListedAction = LoggedAction | Run;

/** A page of runs and single actions, newest first. */
export async function readRuns(
  query: QueryContext,
  filters: ActionFilters,
  most: number,
): Promise<Readonly<{ entries: readonly ListedAction[]; next_cursor: string | null }>> {
  const { rows, end } = await readRunRows(query, filters);
  const { entries, taken } = inRuns(rows.slice(0, mostInRuns), most);
  const actions = await readThese(query, entries.filter(isSingle).flat());
  const last = rows[taken - 1];
  return {
    entries: entries.flatMap((run): readonly ListedAction[] =>
      isSingle(run) ? actions.filter(({ request_id }) => request_id === run[0]?.request_id) : [run],
    ),
    next_cursor: (last && taken < rows.length ? cursorOf(last) : end) ?? null,
  };
}

/** The newest actions with the facts of runs: up to one more than a page has, and where the list ends before that. */
async function readRunRows(
  query: QueryContext,
  filters: ActionFilters,
): Promise<Readonly<{ rows: readonly RunRow[]; end: string | undefined }>> {
  const end = await endOfPage(query, filters);
  const found = await query.rows(sql<RunRow>`
    select a.called_at, a.request_id, a.door, a.token_id, a.client_name, ${effectOf} as effect, ${countOfThings} as things,
      a.undone_by is not null as undone,
      (select json_build_object('token_id', u.token_id, 'client_name', u.client_name) from ${query.own("action_log")} u
       where ${isUndo} and u.called_at = (a.arguments::json ->> 'called_at')::timestamptz
         and u.request_id = (a.arguments::json ->> 'request_id')::uuid) as of
    from ${logOf(query, filters)} a
    where ${allOf(...actionConditions(filters), ...(end ? [isFromPlace(end)] : []))}
    order by a.called_at desc, a.request_id desc
    limit ${literal(mostInRuns + 1)}`);
  return { rows: found.map((row) => ({ ...row, called_at: timestamp(row.called_at) })), end };
}

const countOfThings = sql`case when a.outcome = 'ok' and not ${isUndo}
  then greatest(1, (a.resource_id is not null)::int + coalesce(cardinality(a.others), 0)) else a.calls end`;

/** Today is shown anew after each change of an agent, so its line looks at few calls. */
const mostOfNews = 5_000;

/** The number of things for each effect that each agent or script had since an action. */
export async function readAgentNews({ own, rows }: QueryContext, after: string) {
  const newest = sql`from ${own("action_log")} l where l.called_at > ${after}::timestamptz and l.door <> 'page'
    order by l.called_at desc, l.request_id desc limit ${literal(mostOfNews)}`;
  const found = await rows(sql<Omit<RunRow, "of"> & { is_more: boolean }>`
    select n.token_id, max(n.client_name) as client_name, n.effect, sum(n.things)::int as things,
      (select count(*) from (select 1 ${newest}) looked) = ${literal(mostOfNews)} as is_more
    from (
      select a.token_id, a.client_name, a.called_at, ${effectOf} as effect, ${countOfThings} as things
      from (select l.* ${newest}) a where ${allOf(...actionConditions({ kinds: ["change", "refusal"] }))}
    ) n
    group by n.token_id, n.effect order by max(n.called_at) desc, n.token_id`);
  return found.map((row) => ({ ...row, client_name: row.client_name ?? null }));
}

const isSingle = (run: Run): boolean => run.length === 1;

/** Every page shows this number, so it looks at few actions. */
const mostUnseen = 1_000;

/** Counts the runs of agents and scripts that changed something, or tried to, after the action of that time. */
export async function countUnseenRuns({ own, rows }: QueryContext, after: string): Promise<number> {
  const [found] = await rows(sql<{ runs: number }>`
    select count(*) filter (where pause is null or pause > ${literal(longestPauseMs)} * interval '1 millisecond')::int as runs
    from (
      select a.called_at - lag(a.called_at) over (partition by a.token_id order by a.called_at) as pause
      from (
        select l.called_at, l.token_id, l.door, l.tool, l.outcome from ${own("action_log")} l
        where l.called_at > ${after}::timestamptz
        order by l.called_at desc, l.request_id desc limit ${literal(mostUnseen)}
      ) a
      where ${allOf(sql`a.door <> 'page'`, ...actionConditions({ kinds: ["change", "refusal"] }))}
    ) unseen`);
  return found?.runs ?? 0;
}

export type ActionKey = Pick<LoggedAction, "called_at" | "request_id">;

/** Actions that undid others, by their request ids. */
export type Undos = ReadonlyMap<string, Pick<LoggedAction, "called_at" | "arguments">>;

/** The token of actions on pages; only they undo. */
const noToken = "";

/** @returns one action of the log, undefined where there is none */
export const readAction = async (query: QueryContext, key: ActionKey): Promise<LoggedAction | undefined> =>
  (await readThese(query, [key]))[0];

/**
 * The same, in the user's turn.
 * @returns undefined also if the turn does not come in time
 */
export async function readActionInTurn(
  query: QueryContext,
  key: ActionKey,
): Promise<LoggedAction | undefined> {
  const found = await query.inTurn(async (own) => ({ action: await readAction(own, key) }));
  return isRefused(found) ? undefined : found.action;
}

/** A page sends a change again for so long. */
const mostRepeatMs = 24 * 60 * 60 * 1_000;

/** @returns the log key of a change whose first attempt had this request id, undefined where it has no row */
export async function findLogged(
  { own, rows }: QueryContext,
  { called_at, request_id }: ActionKey,
): Promise<ActionKey | undefined> {
  const from = new Date(Date.parse(called_at) - mostRepeatMs).toISOString();
  const [found] = await rows(sql<ActionKey>`
    select a.called_at, a.request_id from ${own("action_log")} a
    where ${allOf(...rangeConditions({ token_id: noToken, from, to: called_at }))} and a.request_id = ${request_id}::uuid`);
  return found && { ...found, called_at: timestamp(found.called_at) };
}

/** Only pages undo, so undos have no token. */
export async function readUndos(
  { own, rows }: QueryContext,
  actions: readonly LoggedAction[],
): Promise<Undos> {
  const undone = actions.filter(({ undone_by }) => undone_by !== null);
  const times = undone.map(({ called_at }) => called_at).toSorted();
  const [from, newest] = [times[0], times.at(-1)];
  if (from === undefined || newest === undefined) return new Map();
  const to = new Date(Date.parse(newest) + (undoDays + 1) * msPerDay).toISOString();
  const ids = undone.map(({ undone_by }) => undone_by);
  const found = await rows(sql<Pick<LoggedAction, "request_id" | "called_at" | "arguments">>`
    select a.request_id, a.called_at, a.arguments from ${own("action_log")} a
    where ${allOf(...rangeConditions({ token_id: noToken, from, to }))} and a.request_id = any(${ids}::uuid[])`);
  return new Map(found.map((row) => [row.request_id, { ...row, called_at: timestamp(row.called_at) }]));
}

/** Everything that one token did in a period. */
export type TokenPeriod = Readonly<{ token_id: string; from: string; to: string }>;

/** A token may have read much and changed little, so this many pages of its log are searched. */
const mostPages = 5;

/** @returns the newest changes that are not undone, at most as many as one command may undo */
export async function newestStanding(
  query: QueryContext,
  { token_id, from, to }: TokenPeriod,
): Promise<readonly LoggedAction[]> {
  const found: LoggedAction[] = [];
  const range = { token_id, from, to, undoable: true, limit: maxUndone };
  let cursor: string | null | undefined;
  for (let page = 0; page < mostPages && found.length < maxUndone && cursor !== null; page++) {
    const read = await readActions(query, { ...range, ...(cursor && { cursor }) });
    found.push(...read.actions);
    cursor = read.next_cursor;
  }
  return withinLength(found.slice(0, maxUndone), maxUndoneLength);
}

/** The most rows of a token's log that are counted. */
const mostCounted = 50_000;

/** The number of changes, up to the most that are counted. */
export async function countChanges(
  { own, rows }: QueryContext,
  { token_id, from, to }: TokenPeriod,
): Promise<Readonly<{ changes: number; undone: number; isMore: boolean }>> {
  const range = { token_id, from, to };
  const [count] = await rows(sql<{ looked_at: number; changes: number; undone: number }>`
    select count(*)::int as looked_at, count(*) filter (where changed)::int as changes,
      count(*) filter (where changed and undone_by is not null)::int as undone
    from (
      select a.undone_by, a.before is not null or a.after is not null as changed from ${own("action_log")} a
      where ${allOf(...rangeConditions(range))}
      order by a.called_at desc limit ${literal(mostCounted)}
    ) looked`);
  const { looked_at = 0, changes = 0, undone = 0 } = count ?? {};
  return { changes, undone, isMore: looked_at === mostCounted };
}

type Part = Readonly<{ action: LoggedAction; undo: Pick<LoggedAction, "arguments"> }>;

/**
 * Changes that were undone only in part since the end of the period, newest first. Each comes once, with its latest
 * undo.
 */
export async function readParts(
  { own, rows }: QueryContext,
  { token_id, to }: TokenPeriod,
  most: number,
): Promise<readonly Part[]> {
  const found = await rows(sql<LoggedAction & { undo_arguments: string }>`
    select ${actionColumns}, undo.arguments as undo_arguments
    from (
      select a.request_id, a.arguments from ${own("action_log")} a
      where ${allOf(...rangeConditions({ token_id: noToken, from: to }))}
        and a.tool = 'action.undo' and position('"stayed":' in a.arguments) > 0
      offset 0
    ) undo
    join ${own("action_log")} a on a.called_at = (undo.arguments::json ->> 'called_at')::timestamptz
      and a.request_id = (undo.arguments::json ->> 'request_id')::uuid
    where a.token_id = ${token_id} and a.undone_by = undo.request_id
    order by a.called_at desc, a.request_id desc limit ${literal(most)}`);
  return found.map(({ undo_arguments, ...row }) => ({
    action: presentAction(row),
    undo: { arguments: undo_arguments },
  }));
}

/** An action that changed something after another. */
export type LaterChange = Pick<
  LoggedAction,
  "called_at" | "request_id" | "door" | "token_id" | "client_name"
> &
  BeforeAndAfter;

/** The most later actions examined, so that a long log costs no more than a short one, and the most parsed. */
const mostLookedAt = 20_000;
const mostFound = 500;

/** The rows whose changes can explain a conflict. A reminder is a row of its own. */
export const rowsInTheWay = ({ row, fields, why }: UndoConflict): string[] =>
  row === null || !why.endsWith("_since")
    ? []
    : [row, ...(fields.includes("reminder") ? [row.replace("todos/", "reminders/")] : [])];

/**
 * Reads later changes of any of the rows, oldest first. Undone ones come last, and those of a token whose actions are all
 * undone, because they rarely explain anything. None are found if the read takes too long.
 */
export async function readLaterChanges(
  { own, rows }: QueryContext,
  { called_at, request_id }: ActionKey,
  { rowNames, except = "-" }: Readonly<{ rowNames: readonly string[]; except?: string | undefined }>,
): Promise<readonly LaterChange[]> {
  const names = rowNames.map((name) => `"${name}":`);
  const found = rows(sql<Omit<LaterChange, "before" | "after"> & Pick<LoggedAction, "before" | "after">>`
    select a.called_at, a.request_id, a.door, a.token_id, a.client_name, a.before, a.after from (
      select l.* from ${own("action_log")} l
      where (l.called_at, l.request_id) > (${called_at}::timestamptz, ${request_id}::uuid)
      order by l.called_at, l.request_id limit ${literal(mostLookedAt)}
    ) a
    where exists (select from unnest(${names}::text[]) as name where position(name in concat(a.before, a.after)) > 0)
    order by a.undone_by is not null or a.tool = 'action.undo' or a.token_id = ${except}, a.called_at, a.request_id
    limit ${literal(mostFound)}`);
  const changes = await found.catch((error) => {
    if (error instanceof DatabaseFailure) return [];
    throw error;
  });
  return mapGivingWay(changes, ({ before, after, ...change }) => ({
    ...change,
    called_at: timestamp(change.called_at),
    before: readImages(before).images,
    after: readImages(after).images,
  }));
}

/** The first change that explains a conflict: it touched one of the fields, or made or removed the row. */
export const causeOf = (conflict: UndoConflict, changes: readonly LaterChange[]): LaterChange | undefined =>
  changes.find(({ before, after }) =>
    rowsInTheWay(conflict).some((row) => {
      const [old, made] = [before[row], after[row]];
      if (!old || !made || row !== conflict.row) return old !== made;
      return conflict.fields.some((field) => !isSame(old[field], made[field]));
    }),
  );
