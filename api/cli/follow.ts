import type { Static } from "typebox";
import type { LoggedAction, listActions } from "../../shared/contracts/action/contracts.ts";
import { readActions } from "../queries/action/read.ts";
import type { QueryContext } from "../queries/engine/context.ts";

export type LogFilters = Static<(typeof listActions)["input"]>;
type LoggedCall = Static<typeof LoggedAction>;

const pollMs = 1_000;
const pageSize = 200;
const newestLimit = 50;
/** A row has the time at which its call began, and is committed at the call's end, so it can appear this late. */
const maxDelayMs = 60_000;

/** The newest calls that pass the filters, oldest first. */
export async function readNewest(query: QueryContext, filters: LogFilters): Promise<LoggedCall[]> {
  const { limit = newestLimit } = filters;
  const calls: LoggedCall[] = [];
  let cursor: string | null = null;
  do {
    const wanted = { ...filters, limit: limit - calls.length };
    const page = await readActions(query, { ...wanted, ...(cursor && { cursor }) });
    calls.push(...page.actions);
    cursor = page.next_cursor;
  } while (cursor && calls.length < limit);
  return calls.toReversed();
}

/** The newest calls, and then each new one soon after its commit, without end. */
export async function* followLog(query: QueryContext, filters: LogFilters): AsyncGenerator<LoggedCall[]> {
  const readRecent = () =>
    readAll(query, { ...filters, from: new Date(Date.now() - maxDelayMs).toISOString() });
  const recent = await readRecent();
  const newest = await readNewest(query, filters);
  yield newest;
  let shown = idsOf([...recent, ...newest]);
  for (;;) {
    await Bun.sleep(pollMs);
    const calls = await readRecent();
    yield calls.filter(({ request_id }) => !shown.has(request_id));
    shown = idsOf(calls);
  }
}

const idsOf = (calls: readonly LoggedCall[]) => new Set(calls.map(({ request_id }) => request_id));

/** All pages, oldest call first. */
async function readAll(query: QueryContext, filters: LogFilters): Promise<LoggedCall[]> {
  const calls: LoggedCall[] = [];
  let cursor: string | null = null;
  do {
    const page = await readActions(query, { ...filters, limit: pageSize, ...(cursor && { cursor }) });
    calls.unshift(...page.actions.toReversed());
    cursor = page.next_cursor;
  } while (cursor);
  return calls;
}
