import { Buffer } from "node:buffer";
import type { Column, Entry, Table } from "../table.ts";

/** A row's header, numbers and times, and its entries in indexes. */
const bytesOfRow = 200;
/** Lists and JSON are short, and to see how short would take longer than to load them. */
const bytesOfList = 300;

const isText = ({ type }: Column): boolean => type === "text";
const isList = ({ type }: Column): boolean => type.startsWith("json") || type.endsWith("[]");

/** @returns how many bytes a row takes, as `sqlBytes` counts it */
function rowBytes({ columns }: Table, row: object): number {
  let bytes = bytesOfRow;
  const values = row as Record<string, unknown>;
  for (const column of columns) {
    const value = values[column.name];
    if (typeof value === "string") bytes += isText(column) ? Buffer.byteLength(value) : 0;
    else if (value != null && isList(column)) bytes += bytesOfList;
  }
  return bytes;
}

/** The same in SQL, on columns of the table. No text is read for it, because PostgreSQL knows how long each is. */
export const sqlBytes = ({ columns }: Pick<Table, "columns">): string =>
  [
    bytesOfRow,
    ...columns.filter(isText).map(({ name }) => `coalesce(octet_length(${name}), 0)`),
    ...columns.filter(isList).map(({ name }) => `case when ${name} is null then 0 else ${bytesOfList} end`),
  ].join(" + ");

/** @returns how many bytes a changed row adds, and how many are written for it */
export function changedBytes(table: Table, { row, stored, change }: Entry<object>) {
  // Rows that no statement names: members of a category, days of a habit.
  if (table.columns.length === 0) {
    const lists = Object.values(row ?? {}).filter((value) => Array.isArray(value));
    const written = bytesOfRow * Math.max(0, ...lists.map(({ length }) => length));
    return {
      added: table.name === "habit_histories" ? written : 0,
      written: change === "none" ? 0 : written,
    };
  }
  const written = row ? rowBytes(table, row) : 0;
  return { added: written - (stored ? rowBytes(table, stored) : 0), written };
}

/** @returns about how many bytes a command's input took on its way */
export function inputBytes(input: unknown): number {
  if (typeof input === "string") return Buffer.byteLength(input);
  if (typeof input !== "object" || input === null) return 4;
  let bytes = 0;
  for (const [name, value] of Object.entries(input)) bytes += name.length + inputBytes(value);
  return bytes;
}
