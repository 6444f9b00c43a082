import { Buffer } from "node:buffer";
import type { Entry } from "../state.ts";
import type { SizedColumns } from "../table.ts";

/** A row's header, numbers and times, and its entries in indexes. */
const bytesOfRow = 200;
/** Lists and JSON are short, and to see how short would take longer than to load them. */
const bytesOfList = 300;

/** @returns how many bytes a row takes, as `sqlBytes` counts it */
function rowBytes({ texts, lists }: SizedColumns, row: object): number {
  const values = row as Record<string, unknown>;
  let bytes = bytesOfRow;
  for (const name of texts) {
    const text = values[name];
    if (typeof text === "string") bytes += Buffer.byteLength(text);
  }
  for (const name of lists) if (values[name] != null) bytes += bytesOfList;
  return bytes;
}

/** The same in SQL, on columns of the table. No text is read for it, because PostgreSQL knows how long each is. */
export const sqlBytes = ({ texts, lists }: SizedColumns): string =>
  [
    bytesOfRow,
    ...texts.map((name) => `coalesce(octet_length(${name}), 0)`),
    ...lists.map((name) => `case when ${name} is null then 0 else ${bytesOfList} end`),
  ].join(" + ");

type ChangedBytes = Readonly<{ added: number; written: number }>;

/** @returns how many bytes a changed row adds, and how many are written for it */
export function changedBytes(columns: SizedColumns, { row, stored }: Entry): ChangedBytes {
  const written = row ? rowBytes(columns, row) : 0;
  return { added: written - (stored ? rowBytes(columns, stored) : 0), written };
}

/** The same of an effect, which writes a row for each element of its lists. */
export function effectBytes({ adds }: Readonly<{ adds?: true }>, { row }: Entry): ChangedBytes {
  const lists = Object.values(row ?? {}).filter((value) => Array.isArray(value));
  const written = bytesOfRow * Math.max(0, ...lists.map(({ length }) => length));
  return { added: adds ? written : 0, written };
}
