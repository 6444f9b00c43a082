import { beforeRemoval, replaceNote } from "./deletion-notes.ts";
import { asJson } from "./save.ts";
import type { Column, Entry, Statement, Table } from "./table.ts";

/** A statement takes at most 65,535 values. */
const rowsAtOnce = 1_000;

/**
 * How Citus is written to. A row given as values goes to the one server that has it, and is committed there alone. Rows
 * made from JSON would be copied there by a commit in two phases, which took three times as long.
 */
export function citusWrites(table: Table): NonNullable<Table["writes"]> {
  const { name, key, sql } = table;
  const before = beforeRemoval(name);
  const onConflict = name === "deletions" ? replaceNote : sql.upsert.slice(sql.insert.length);
  return (kind, changed) => {
    const userId = changed[0]?.key[0];
    if (kind === "remove") {
      const keys = key.slice(1).map((_, index) => changed.map((entry) => entry.key[index + 1]));
      return [...before, sql.remove].map((text) => ({ text, values: [userId, ...keys] }));
    }
    // What these do is no plain writing of rows.
    if (name === "category_returns" || (name === "action_log" && kind === "update"))
      return [{ text: sql[kind], values: [asJson(changed), userId] }];
    const clause = kind === "insert" && name !== "deletions" ? "" : onConflict;
    return chunks(changed).map((some) => insertion(table, some, clause));
  };
}

const chunks = <One>(all: readonly One[]): One[][] =>
  Array.from({ length: Math.ceil(all.length / rowsAtOnce) }, (_, index) =>
    all.slice(index * rowsAtOnce, (index + 1) * rowsAtOnce),
  );

function insertion(
  { name, columns }: Table,
  changed: readonly Entry<object>[],
  onConflict: string,
): Statement {
  const values: unknown[] = [];
  const place = (column: Column, row: object) => {
    values.push(storedValue(column, row));
    return `$${values.length}::${column.type}`;
  };
  const rows = changed.flatMap(({ row }) =>
    row ? [`(${columns.map((column) => place(column, row)).join(", ")})`] : [],
  );
  const names = columns.map((column) => column.name).join(", ");
  return { text: `insert into ${name} (${names}) values ${rows.join(", ")} ${onConflict}`, values };
}

function storedValue({ name, type }: Column, row: object): unknown {
  // Transactions have no numbers that hold over all servers.
  if (name === "changed_xid") return "0";
  const value: unknown = Object.entries(row).find(([column]) => column === name)?.[1];
  return value != null && type.startsWith("json") ? JSON.stringify(value) : value;
}
