import { sql } from "kysely";
import type { Static } from "typebox";
import type { LoggedToolCall, listToolCalls } from "../../shared/contracts/tool-call.ts";
import { isRefused } from "../../shared/errors.ts";
import type { QueryContext } from "../queries/context.ts";
import { list } from "../queries/tool-call.ts";

export type Filters = Static<(typeof listToolCalls)["input"]>;
type Row = Static<typeof LoggedToolCall>;

const pollMs = 1_000;
const pageSize = 200;
const maxSubjects = 50;
/** A row is committed at its call's end and dated by its start: for so long it can still turn up. */
const latestMs = 60_000;

/** The newest calls that the filters let through, in the order in which they were made. */
export async function newest(query: QueryContext, filters: Filters): Promise<Row[]> {
  const page = await list(query, filters);
  return isRefused(page) ? [] : page.actions.toReversed();
}

/** The newest calls, and then every further one soon after it is committed, without end. */
export async function* follow(query: QueryContext, filters: Filters): AsyncGenerator<Row> {
  const recent = () => all(query, { ...filters, from: new Date(Date.now() - latestMs).toISOString() });
  const before = await recent();
  const first = await newest(query, filters);
  yield* first;
  let shown = idsOf([...before, ...first]);
  for (;;) {
    await Bun.sleep(pollMs);
    const rows = await recent();
    yield* rows.filter(({ request_id }) => !shown.has(request_id));
    shown = idsOf(rows);
  }
}

/** Whose calls the log holds: the one look across users, for the owner of the instance. */
export async function subjects({ db }: Pick<QueryContext, "db">): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    with recursive seen as (
      (select user_id from action_log order by user_id limit 1)
      union all
      select next.user_id from seen, lateral (
        select user_id from action_log where user_id > seen.user_id order by user_id limit 1
      ) next
    )
    select user_id from seen limit ${maxSubjects}`.execute(db);
  return rows.map(({ user_id }) => user_id);
}

const idsOf = (rows: readonly Row[]) => new Set(rows.map(({ request_id }) => request_id));

async function all(query: QueryContext, filters: Filters): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await list(query, { ...filters, limit: pageSize, ...(cursor && { cursor }) });
    if (isRefused(page)) return rows;
    rows.unshift(...page.actions.toReversed());
    cursor = page.next_cursor;
  } while (cursor);
  return rows;
}
