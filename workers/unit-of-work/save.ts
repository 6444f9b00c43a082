import type { Queryable } from "./connection.ts";
import type { Change, Entry, State } from "./state.ts";
import type { Table, TableMap, TableName } from "./table.ts";

/**
 * Writes all changes of a batch, one statement per table and kind. Rows that others refer to are inserted first and
 * deleted last. All queries are sent at once; the caller awaits them together with the commit.
 */
export function save(connection: Queryable, tables: TableMap, state: State): Promise<unknown>[] {
  const names = Object.keys(tables) as TableName[];
  const write = (table: Table, kind: Written) => {
    const values = changedValues(table, state[table.name].entries, kind);
    return values ? [connection.query(table.sql[kind], values)] : [];
  };
  return [
    ...names.flatMap((name) => written.flatMap((kind) => write(tables[name], kind))),
    ...names.reverse().flatMap((name) => write(tables[name], "remove")),
  ];
}

const written = ["insert", "upsert", "update"] as const;
type Written = Exclude<Change, "none">;

/** Whether a change goes to the write-ahead log. A reply to a command without a key does not: its table is unlogged. */
export function hasLoggedChange(state: State): boolean {
  const { inbox, ...others } = state;
  const hasChange = ({ entries }: { entries: ReadonlyMap<string, Entry<object>> }) =>
    [...entries.values()].some(({ change }) => change !== "none");
  return (
    Object.values(others).some(hasChange) ||
    [...inbox.entries.values()].some(({ change, row }) => change !== "none" && row?.keyed)
  );
}

/** @returns the values of the statement of that kind, or undefined when there is nothing to write */
function changedValues(
  { key }: Table,
  entries: ReadonlyMap<string, Entry<object>>,
  kind: Written,
): unknown[] | undefined {
  if (entries.size === 0) return undefined;
  const changed = [...entries]
    .filter(([, { change }]) => change === kind)
    .sort(byPlace)
    .map(([, entry]) => entry);
  if (changed.length === 0) return undefined;
  if (kind === "remove") return key.map((_, index) => changed.map((entry) => entry.key[index]));
  return [JSON.stringify(changed.flatMap(({ row }) => (row ? [withoutNulls(row)] : [])))];
}

/** One order for all transactions, so that two that write the same rows never wait for each other in a circle. */
const byPlace = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

/** json_to_recordset reads an absent field as null, and often half of a row is null: that halves the JSON. */
function withoutNulls(row: object): object {
  const present: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) if (value !== null) present[name] = value;
  return present;
}
