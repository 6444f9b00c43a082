import type { LoggedAction } from "../../../shared/contracts/action/contracts.ts";
import { literal, sql } from "../../../shared/db/reads/sql.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import type { ActionEffect } from "../../../shared/domain/vocabulary.ts";
import { allOf, type QueryContext } from "../engine/context.ts";
import {
  type ActionFilters,
  actionConditions,
  cursorOf,
  effectOf,
  endOfPage,
  isFromPlace,
  isUndo,
  logOf,
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
