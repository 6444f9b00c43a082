import type { Queryable } from "./connection.ts";
import { type Entry, entriesOf, type State, type StateName, type Written } from "./state.ts";
import { type EffectName, effectNames, effects, type TableName, tableNames } from "./tables.ts";

const written = ["insert", "upsert", "update"] as const;

/**
 * Writes all changes of a transaction, one statement per table and kind. Rows that others refer to are inserted first and
 * deleted last; effects come between. All queries are sent at once, and the caller awaits them together with the commit.
 */
export function save(connection: Queryable, state: State): Promise<unknown>[] {
  const isKnown = (name: StateName) => state.entries.has(name);
  const known = tableNames.filter(isKnown);
  const write = (name: TableName, kind: Written) => {
    const { key, sql } = state.tables[name];
    const changed = changedEntries(state, name, kind);
    if (changed.length === 0) return [];
    const keys = () => key.map((_, index) => changed.map((entry) => entry.key[index]));
    return [connection.query(sql[kind], kind === "remove" ? keys() : [asJson(rowsOf(changed))])];
  };
  return [
    ...known.flatMap((name) => written.flatMap((kind) => write(name, kind))),
    ...effectNames.filter(isKnown).flatMap((name) => carryOut(connection, state, name)),
    ...known.toReversed().flatMap((name) => write(name, "remove")),
  ];
}

/** Sorted, so that two transactions that write the same rows never wait for each other in a circle. */
const changedEntries = <Name extends StateName>(state: State, name: Name, kind: Written) =>
  [...entriesOf(state, name)]
    .filter(([, { change }]) => change === kind)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, entry]) => entry);

const rowsOf = <Row>(entries: readonly Entry<Row>[]): Row[] => entries.flatMap(({ row }) => row ?? []);

function carryOut<Name extends EffectName>(connection: Queryable, state: State, name: Name) {
  const { statement, written, size = () => 0 } = effects[name];
  if (statement === undefined) return [];
  const parts = inParts(rowsOf(changedEntries(state, name, "insert")), size);
  return parts.map(async (part) => {
    const { rows } = await connection.query(statement, [asJson(part)]);
    written?.(part, rows);
  });
}

/** PostgreSQL stops a statement that takes too long, and thousands of statements would keep the worker busy. */
const sizeAtOnce = 2_000;

function inParts<Row>(rows: readonly Row[], size: (row: Row) => number): Row[][] {
  const parts: Row[][] = [];
  let room = -1;
  for (const row of rows) {
    if (size(row) > room) {
      parts.push([]);
      room = sizeAtOnce;
    }
    parts.at(-1)?.push(row);
    room -= size(row);
  }
  return parts;
}

/** True if a change goes to the write-ahead log. The table of replies without a key is unlogged. */
export const hasLoggedChange = (state: State): boolean =>
  state.changes.some(({ name, entryKey, entries }) => {
    const { change = "none", row } = entries.get(entryKey) ?? {};
    return change !== "none" && (name !== "inbox" || (row && "keyed" in row && row.keyed === true));
  });

/**
 * json_to_recordset reads an absent field as null. Often half of a row is null, so leaving nulls out halves the
 * JSON.
 */
const asJson = (rows: readonly object[]): string => JSON.stringify(rows.map(withoutNulls));

function withoutNulls(row: object): object {
  const present: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) if (value !== null) present[name] = value;
  return present;
}
