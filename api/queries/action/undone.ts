import type { Static } from "typebox";
import type { LoggedAction } from "../../../shared/contracts/action/contracts.ts";
import { undoDays } from "../../../shared/contracts/action/undo.ts";
import { msPerDay } from "../../../shared/domain/day/day.ts";
import { timestamp } from "../../../shared/domain/day/timestamp.ts";
import { isRefused } from "../../../shared/errors.ts";
import { allOf, type QueryContext } from "../engine/context.ts";
import { literal, sql } from "../engine/sql.ts";
import { rangeConditions } from "./filters.ts";
import { actionColumns, presentAction, type ReadRow, readActions } from "./read.ts";

type Action = Static<typeof LoggedAction>;
export type ActionKey = Pick<Action, "called_at" | "request_id">;

/** An action that took another one back. */
export type Undo = Pick<Action, "called_at" | "arguments">;

/** What a selection of a token's changes has in it, up to the most that are counted. */
type RunCount = Readonly<{ changes: number; undone: number; isMore: boolean }>;
export type TokenRun = Readonly<{ token_id: string; from: string; to: string }>;

/** The token of what was done on pages: only they take back. */
const noToken = "";

/** The id that sorts last. */
const lastId = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** @returns one action of the log, undefined where there is none */
export async function readAction(
  query: QueryContext,
  { called_at, request_id }: ActionKey,
): Promise<Action | undefined> {
  const cursor = `${called_at}_${lastId}`;
  const { actions } = await readActions(query, { from: called_at, cursor, limit: 200 });
  return actions.find((action) => action.request_id === request_id);
}

/** The same when it is the user's turn. @returns undefined too where that does not come in time */
export async function readActionInTurn(query: QueryContext, key: ActionKey): Promise<Action | undefined> {
  const found = await query.inTurn(async (own) => ({ action: await readAction(own, key) }), false);
  return isRefused(found) ? undefined : found.action;
}

/** The actions that took others back, by their request ids. Only pages take back, so they are found by no token. */
export async function readUndos(
  { own, rows }: QueryContext,
  actions: readonly Action[],
): Promise<ReadonlyMap<string, Undo>> {
  const undone = actions.filter(({ undone_by }) => undone_by !== null);
  const times = undone.map(({ called_at }) => called_at).toSorted();
  const [from, newest] = [times[0], times.at(-1)];
  if (from === undefined || newest === undefined) return new Map();
  const to = new Date(Date.parse(newest) + (undoDays + 1) * msPerDay).toISOString();
  const ids = undone.map(({ undone_by }) => undone_by);
  const found = await rows(sql<Pick<Action, "request_id" | "called_at" | "arguments">>`
    select a.request_id, a.called_at, a.arguments from ${own("action_log")} a
    where ${allOf(...rangeConditions({ token_id: noToken, from, to }))} and a.request_id = any(${ids}::uuid[])`);
  return new Map(found.map((row) => [row.request_id, { ...row, called_at: timestamp(row.called_at) }]));
}

/** How many rows of a token's log are looked at for counting. */
const mostCounted = 50_000;

export async function countRun(
  { own, rows }: QueryContext,
  { token_id, from, to }: TokenRun,
): Promise<RunCount> {
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

type Part = Readonly<{ action: Action; undo: Pick<Action, "arguments"> }>;

/**
 * Of what was taken back of a run since its end, the changes of which something had to stay, the newest first. Each is
 * there once, with the undo that holds.
 */
export async function readParts(
  { own, rows }: QueryContext,
  { token_id, to }: TokenRun,
  most: number,
): Promise<readonly Part[]> {
  const found = await rows(sql<ReadRow & { undo_arguments: string }>`
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
