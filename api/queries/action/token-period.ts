import type { LoggedAction } from "../../../shared/contracts/action/contracts.ts";
import { maxUndone, maxUndoneLength } from "../../../shared/contracts/action/undo.ts";
import { literal, sql } from "../../../shared/db/reads/sql.ts";
import { withinLength } from "../../../shared/domain/action/stored-images.ts";
import { allOf, type QueryContext } from "../engine/context.ts";
import { rangeConditions } from "./filters.ts";
import { actionColumns, presentAction, type ReadRow, readActions } from "./read.ts";
import { noToken } from "./undone.ts";

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
