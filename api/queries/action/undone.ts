import type { LoggedAction } from "../../../shared/contracts/action/contracts.ts";
import { undoDays } from "../../../shared/contracts/action/undo.ts";
import { sql } from "../../../shared/db/reads/sql.ts";
import { msPerDay, timestamp } from "../../../shared/domain/day/day.ts";
import { isRefused } from "../../../shared/errors.ts";
import { allOf, type QueryContext } from "../engine/context.ts";
import { rangeConditions } from "./filters.ts";
import { readActions } from "./read.ts";

export type ActionKey = Pick<LoggedAction, "called_at" | "request_id">;

/** Actions that undid others, by their request ids. */
export type Undos = ReadonlyMap<string, Pick<LoggedAction, "called_at" | "arguments">>;

/** The token of actions on pages; only they undo. */
export const noToken = "";

/** The id that sorts last. */
const lastId = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** @returns one action of the log, undefined where there is none */
export async function readAction(
  query: QueryContext,
  { called_at, request_id }: ActionKey,
): Promise<LoggedAction | undefined> {
  const cursor = `${called_at}_${lastId}`;
  const { actions } = await readActions(query, { from: called_at, cursor, limit: 200 });
  return actions.find((action) => action.request_id === request_id);
}

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
