import { namesOf, type ThingNames } from "../../../../queries/action/names.ts";
import { readActions, readTokens } from "../../../../queries/action/read.ts";
import { type ReadCount, readReadCounts } from "../../../../queries/action/reads.ts";
import { readUndos, type Undo } from "../../../../queries/action/undone.ts";
import type { QueryContext } from "../../../../queries/engine/context.ts";
import type { LoggedRow } from "../words/logged-row.ts";
import { idsNamedIn } from "../words/named-ids.ts";
import type { ActionsFilter } from "./filters.ts";

/** What a page of the list shows: rows, beside them how often tokens only looked, and what is known of both. */
export type ListPage = Readonly<{
  rows: readonly LoggedRow[];
  reads: readonly ReadCount[];
  names: ThingNames;
}>;

/** What took the rows back, by request ids. */
export type Undos = ReadonlyMap<string, Undo>;

export const pageSize = 50;

/** Reads one page, and the tokens to filter by: one statement after the other, because all of it is one turn. */
export async function readListPage(query: QueryContext, { input, foldsReads }: ActionsFilter) {
  const { actions: rows, next_cursor } = await readActions(query, { ...input, limit: pageSize });
  const reads = foldsReads ? await readReadCounts(query, input, next_cursor) : [];
  const undos: Undos = await readUndos(query, rows);
  const ids = idsNamedIn(rows);
  const names = await namesOf(query, ids);
  const listed: ListPage = { rows, reads, names };
  const { tokens } = await readTokens(query, {});
  return { listed, undos, tokens, next_cursor };
}
