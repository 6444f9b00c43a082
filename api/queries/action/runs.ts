import { type Expression, sql } from "kysely";
import {
  type LoggedAction,
  maxUndone,
  maxUndoneLength,
  undoDays,
} from "../../../shared/contracts/action/contracts.ts";
import { type Found, own, selectFrom, statement, statements } from "../../../shared/db/reads/statement.ts";
import { withinLength } from "../../../shared/domain/action/images.ts";
import { msPerDay, timestamp } from "../../../shared/domain/day/day.ts";
import { isRefused } from "../../../shared/errors.ts";
import type { QueryContext } from "../engine/context.ts";
import { countOf } from "../engine/pagination.ts";
import {
  type ActionConditions,
  type ActionFilters,
  action,
  actionColumns,
  actionRange,
  actionsWhere,
  actionValues,
  cursorOf,
  effectOf,
  endOfPage,
  isNoRead,
  isUndo,
  newestFirst,
  presentAction,
  readActions,
  readThese,
  wantedBy,
} from "./read.ts";

type Caller = Pick<LoggedAction, "token_id" | "client_name">;

/** The facts of an action by which its run is found and counted. */
export type RunRow = Found<typeof runRows>;

/** Actions of one token that lie close together, newest first. */
export type Run = readonly RunRow[];

const longestPauseMs = 10 * 60_000;
/** Actions that a page looks at. A longer run goes on on the next page. */
const mostInRuns = 1_000;
/** A run of more actions is one entry of the list. */
const mostSingle = 5;

/**
 * Groups actions, newest first, into the entries of a list: a run of many actions, or a single action.
 * @returns the first entries, each at the place of its newest action, and the number of actions in them
 */
export function inRuns(rows: readonly RunRow[], most: number) {
  const runs = runsIn(rows);
  const ends = runs
    .flatMap((run) => (run.length > mostSingle ? run.slice(0, 1) : run))
    .toSorted((a, b) => a - b);
  const taken = ends[most] ?? rows.length;
  const entries = runsIn(rows.slice(0, taken)).flatMap((run): (readonly number[])[] =>
    run.length > mostSingle ? [run] : run.map((index) => [index]),
  );
  const newestFirst = entries.toSorted(([a = 0], [b = 0]) => a - b);
  return { entries: newestFirst.map((run): Run => run.flatMap((index) => rows[index] ?? [])), taken };
}

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

export type ListedAction = LoggedAction | Run;

export async function readRuns(query: QueryContext, filters: ActionFilters, most: number) {
  const end = await endOfPage(query, filters);
  const { wanted, values } = wantedBy(filters, end);
  const found = await query.rows(runRows(wanted, values));
  const rows = found.map((row) => ({ ...row, called_at: timestamp(row.called_at) }));
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

const { ref } = action;
const countOfThings = sql<number>`case when ${ref("a.outcome")} = 'ok' and not ${isUndo}
  then greatest(1, (${ref("a.resource_id")} is not null)::int + coalesce(cardinality(${ref("a.others")}), 0))
  else ${ref("a.calls")} end`;

/** The key of the action that an undo took back, in the undo's arguments. */
const undoneKey = (stored: Expression<string>) => ({
  called_at: sql<string>`(${stored}::json ->> 'called_at')::timestamptz`,
  request_id: sql<string>`(${stored}::json ->> 'request_id')::uuid`,
});

const undoneCaller = selectFrom(own("action_log").as("u"))
  .select(({ ref: of }) =>
    sql<Caller>`json_build_object('token_id', ${of("u.token_id")}, 'client_name', ${of("u.client_name")})`.as(
      "of",
    ),
  )
  .where(isUndo)
  .where("u.called_at", "=", undoneKey(ref("a.arguments")).called_at)
  .where("u.request_id", "=", undoneKey(ref("a.arguments")).request_id);

/** The newest actions with the facts of runs: up to one more than a page has. */
const runRows = statements(actionValues, (_, wanted: ActionConditions) =>
  actionsWhere(wanted, sql.lit(mostInRuns + 1))
    .select(["a.called_at", "a.request_id", "a.door", "a.token_id", "a.client_name"])
    .select([
      effectOf.as("effect"),
      // The number of things that it changed, or of calls that were refused.
      countOfThings.as("things"),
      sql<boolean>`${ref("a.undone_by")} is not null`.as("undone"),
      // The caller whose action it took back.
      undoneCaller.as("of"),
    ])
    .orderBy(newestFirst)
    .limit(sql.lit(mostInRuns + 1)),
);

/** Today is shown anew after each change of an agent, so its line looks at few calls. */
const mostOfNews = 5_000;

const agentNews = statement({ after: "timestamptz" }, (value) => {
  const looked = actionsWhere()
    .selectAll("a")
    .where("a.called_at", ">", value("after"))
    .where("a.door", "<>", sql.lit("page"))
    .orderBy(newestFirst)
    .limit(sql.lit(mostOfNews));
  const all = selectFrom(looked.as("looked")).select(countOf.as("count"));
  const effects = selectFrom(looked.as("a"))
    .select(["a.token_id", "a.client_name", "a.called_at"])
    .select([effectOf.as("effect"), countOfThings.as("things")])
    .where(isNoRead);
  return selectFrom(effects.as("n"))
    .select(({ fn }) => ["n.token_id", fn.max("n.client_name").as("client_name"), "n.effect"])
    .select(({ ref: of }) => [
      sql<number>`sum(${of("n.things")})::int`.as("things"),
      sql<boolean>`${all} = ${sql.lit(mostOfNews)}`.as("is_more"),
    ])
    .groupBy(["n.token_id", "n.effect"])
    .orderBy(({ fn }) => fn.max("n.called_at"), "desc")
    .orderBy("n.token_id");
});

/** The number of things for each effect that each agent or script had since an action. */
export const readAgentNews = ({ rows }: QueryContext, after: string) => rows(agentNews({ after }));

const isSingle = (run: Run): boolean => run.length === 1;

/** Every page shows this number, so it looks at few actions. */
const mostUnseen = 1_000;

const unseenRuns = statement({ after: "timestamptz" }, (value) => {
  const looked = actionsWhere()
    .select(["a.called_at", "a.token_id", "a.door", "a.tool", "a.outcome"])
    .where("a.called_at", ">", value("after"))
    .orderBy(newestFirst)
    .limit(sql.lit(mostUnseen));
  return sql<{ runs: number }>`
    select count(*) filter (where pause is null or pause > ${sql.lit(longestPauseMs)} * interval '1 millisecond')::int as runs
    from (
      select ${ref("a.called_at")} - lag(${ref("a.called_at")})
        over (partition by ${ref("a.token_id")} order by ${ref("a.called_at")}) as pause
      from ${looked} a where ${ref("a.door")} <> 'page' and ${isNoRead}
    ) unseen`;
});

/** Counts the runs of agents and scripts that changed something, or tried to, after the action of that time. */
export async function countUnseenRuns({ rows }: QueryContext, after: string): Promise<number> {
  const [found] = await rows(unseenRuns({ after }));
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

const ofToken = ["token", "from", "to"] as const;
const loggedAs = statement({ ...actionRange, request_id: "uuid" }, (value) =>
  actionsWhere(ofToken)
    .select(["a.called_at", "a.request_id"])
    .where("a.request_id", "=", value("request_id")),
);

/** @returns the log key of a change whose first attempt had this request id, undefined where it has no row */
export async function findLogged(
  { rows }: QueryContext,
  { called_at: to, request_id }: ActionKey,
): Promise<ActionKey | undefined> {
  const from = new Date(Date.parse(to) - mostRepeatMs).toISOString();
  const [found] = await rows(loggedAs({ token_id: noToken, from, to, request_id }));
  return found && { ...found, called_at: timestamp(found.called_at) };
}

const undosOf = statement({ ...actionRange, ids: "uuid[]" }, (value) =>
  actionsWhere(ofToken)
    .select(["a.request_id", "a.called_at", "a.arguments"])
    .where((eb) => eb("a.request_id", "=", eb.fn.any(value("ids")))),
);

/** Only pages undo, so undos have no token. */
export async function readUndos({ rows }: QueryContext, actions: readonly LoggedAction[]): Promise<Undos> {
  const undone = actions.filter(({ undone_by }) => undone_by !== null);
  const times = undone.map(({ called_at }) => called_at).toSorted();
  const [from, newest] = [times[0], times.at(-1)];
  if (from === undefined || newest === undefined) return new Map();
  const to = new Date(Date.parse(newest) + (undoDays + 1) * msPerDay).toISOString();
  const ids = undone.flatMap(({ undone_by }) => undone_by ?? []);
  const found = await rows(undosOf({ token_id: noToken, from, to, ids }));
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

const changesCounted = statement(
  actionRange,
  () => sql<{ looked_at: number; changes: number; undone: number }>`
    select count(*)::int as looked_at, count(*) filter (where changed)::int as changes,
      count(*) filter (where changed and undone_by is not null)::int as undone
    from ${actionsWhere(ofToken)
      .select("a.undone_by")
      .select(sql`${ref("a.before")} is not null or ${ref("a.after")} is not null`.as("changed"))
      .orderBy("a.called_at", "desc")
      .limit(sql.lit(mostCounted))} looked`,
);

/** The number of changes, up to the most that are counted. */
export async function countChanges({ rows }: QueryContext, { token_id, from, to }: TokenPeriod) {
  const [count] = await rows(changesCounted({ token_id, from, to }));
  const { looked_at = 0, changes = 0, undone = 0 } = count ?? {};
  return { changes, undone, isMore: looked_at === mostCounted };
}

const partlyUndone = statements({ ...actionRange, of: "text" }, (value, most: number) => {
  const undos = actionsWhere(["token", "from"])
    .select(["a.request_id", "a.arguments"])
    .where("a.tool", "=", sql.lit("action.undo"))
    .where(sql<boolean>`position('"stayed":' in ${ref("a.arguments")}) > 0`)
    .offset(sql.lit(0));
  return selectFrom(undos.as("undo"))
    .innerJoin(own("action_log").as("a"), (join) => {
      const { called_at, request_id } = undoneKey(sql.ref<string>("undo.arguments"));
      return join.on("a.called_at", "=", called_at).on("a.request_id", "=", request_id);
    })
    .select(actionColumns)
    .select("undo.arguments as undo_arguments")
    .where("a.token_id", "=", value("of"))
    .whereRef("a.undone_by", "=", "undo.request_id")
    .orderBy(newestFirst)
    .limit(sql.lit(most));
});

/**
 * Changes that were undone only in part since the end of the period, newest first. Each comes once, with its latest
 * undo.
 */
export async function readParts({ rows }: QueryContext, { token_id, to }: TokenPeriod, most: number) {
  const found = await rows(partlyUndone(most, { token_id: noToken, from: to, of: token_id }));
  return found.map(({ undo_arguments, ...row }) => ({
    action: presentAction(row),
    undo: { arguments: undo_arguments },
  }));
}
