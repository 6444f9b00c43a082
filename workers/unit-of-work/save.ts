import type { PoolClient } from "pg";
import type { Change, Entry, State } from "./state.ts";
import type { Table, TableName, Tables } from "./tables.ts";

/**
 * Writes all changes of a batch, one statement per table and kind: first what references need, last
 * what they forbid. The queries leave in one flight; the caller awaits them all with the commit.
 */
export function save(client: PoolClient, tables: Tables, state: State): Promise<unknown>[] {
  const names = Object.keys(tables) as TableName[];
  const write = (table: Table, kind: "insert" | "update" | "remove") => {
    const values = changes(table, state[table.name].entries, kind);
    return values ? [client.query(table.sql[kind], values)] : [];
  };
  return [
    ...names.flatMap((name) => [...write(tables[name], "insert"), ...write(tables[name], "update")]),
    ...names.reverse().flatMap((name) => write(tables[name], "remove")),
  ];
}

/** What the statement of that kind takes; undefined when there is nothing to do. */
function changes(
  { key }: Table,
  entries: ReadonlyMap<string, Entry<object>>,
  kind: Change,
): unknown[] | undefined {
  const changed = [...entries]
    .filter(([, { change }]) => change === kind)
    .sort(byPlace)
    .map(([, entry]) => entry);
  if (changed.length === 0) return undefined;
  if (kind === "remove") return key.map((_, index) => changed.map((entry) => entry.key[index]));
  return [JSON.stringify(changed.flatMap(({ row }) => (row ? [withoutNulls(row)] : [])))];
}

/** In one order for everybody, so that two transactions that write the same rows meet at the first of them. */
const byPlace = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

/** What is absent is null to json_to_recordset, and half of a row often is: so much less to write and to parse. */
function withoutNulls(row: object): object {
  const present: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) if (value !== null) present[name] = value;
  return present;
}
