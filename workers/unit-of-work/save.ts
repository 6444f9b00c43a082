import type { Queryable } from "./connection.ts";
import type { State } from "./state.ts";
import type { Entry, Statement, Table, TableMap, TableName, Written } from "./table.ts";

/**
 * Writes all changes of a batch, one statement per table and kind. Rows that others refer to are inserted first and
 * deleted last. All queries are sent at once; the caller awaits them together with the commit.
 */
export function save(connection: Queryable, tables: TableMap, state: State): Promise<unknown>[] {
  const names = Object.keys(tables) as TableName[];
  const write = (table: Table, kind: Written) => {
    const changed = changedEntries(state[table.name].entries, kind);
    return statementsOf(table, kind, changed).map(({ text, values }) => connection.query(text, values));
  };
  return [
    ...names.flatMap((name) => written.flatMap((kind) => write(tables[name], kind))),
    ...names.reverse().flatMap((name) => write(tables[name], "remove")),
  ];
}

const written = ["insert", "upsert", "update"] as const;

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

function changedEntries(
  entries: ReadonlyMap<string, Entry<object>>,
  kind: Written,
): readonly Entry<object>[] {
  if (entries.size === 0) return [];
  return [...entries]
    .filter(([, { change }]) => change === kind)
    .sort(byPlace)
    .map(([, entry]) => entry);
}

function statementsOf(
  { key, sql, writes }: Table,
  kind: Written,
  changed: readonly Entry<object>[],
): readonly Statement[] {
  if (changed.length === 0) return [];
  if (writes) return writes(kind, changed);
  const values =
    kind === "remove" ? key.map((_, index) => changed.map((entry) => entry.key[index])) : [asJson(changed)];
  return [{ text: sql[kind], values }];
}

/** One order for all transactions, so that two that write the same rows never wait for each other in a circle. */
const byPlace = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

/** The rows as the one value of a statement that takes them by json_to_recordset. */
export const asJson = (changed: readonly Entry<object>[]): string =>
  JSON.stringify(changed.flatMap(({ row }) => (row ? [withoutNulls(row)] : [])));

/** json_to_recordset reads an absent field as null, and often half of a row is null: that halves the JSON. */
function withoutNulls(row: object): object {
  const present: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) if (value !== null) present[name] = value;
  return present;
}
