import { isSeen } from "../../shared/domain/action/image-fields.ts";
import type { RowChange } from "../../shared/domain/action/images.ts";
import { signedChange, signedNew, type Unsigned } from "../../shared/domain/author.ts";
import { effects, type Rows, tables as specs, type TableMap, type TableName, views } from "./tables.ts";

type KeyValue = string | number;
/** The way in which a row must be written. */
export type Written = "insert" | "upsert" | "update" | "remove";
/** A row as earlier commands left it. */
export type Entry<Row = object> = Readonly<{
  key: readonly KeyValue[];
  row: Row | undefined;
  change: "none" | Written;
}>;

/** Rows by key. Entries are replaced, never changed. */
type Entries<Row = object> = Map<string, Entry<Row>>;

export type StateName = keyof Rows;

/** One change of a row, and the entry before it. */
type Change = Readonly<{ name: StateName; entries: Entries; entryKey: string; before: Entry | undefined }>;

/** The loaded and changed rows of a transaction. */
export type State = Readonly<{
  tables: TableMap;
  entries: Map<StateName, Entries>;
  /** Every change in order, so that changes can be described and undone. */
  changes: Change[];
  /** The ids of requests whose row was not loaded, because another transaction has locked it. */
  skipped: Set<string>;
}>;

export const emptyState = (tables: TableMap): State => ({
  tables,
  entries: new Map(),
  changes: [],
  skipped: new Set(),
});

export function entriesOf<Name extends StateName>({ entries }: State, name: Name): Entries<Rows[Name]> {
  const own = (entries.get(name) ?? new Map()) as Entries<Rows[Name]>;
  entries.set(name, own);
  return own;
}

const isTable = (name: StateName): name is TableName => name in specs;
const others = { ...views, ...effects };

/** @returns the user and the other columns of the key */
export function keyOfRow({ tables }: State, name: StateName, row: object): KeyValue[] {
  const columns: readonly string[] = isTable(name) ? tables[name].key : others[name].key;
  return columns.map((column) => row[column as keyof typeof row]);
}

const separator = "\u0000";
const entryKeyOf = (key: readonly KeyValue[]): string => key.join(separator);

/** Adds a row as PostgreSQL has it, unless it is known. */
export function remember(state: State, name: StateName, row: object): void {
  const entries: Entries = entriesOf(state, name);
  const key = keyOfRow(state, name, row);
  const entryKey = entryKeyOf(key);
  if (!entries.has(entryKey)) entries.set(entryKey, { key, row, change: "none" });
}

/** Drops a row that was read before it was to be locked, because it may have changed or gone meanwhile. */
export function forget(state: State, name: StateName, key: readonly KeyValue[]): void {
  const entries = entriesOf(state, name);
  const entryKey = entryKeyOf(key);
  if (entries.get(entryKey)?.change === "none") entries.delete(entryKey);
}

/** A table as a handler sees it: only the calling user's rows. */
export type OwnRows<Row> = Readonly<{
  get(...key: readonly KeyValue[]): Row | undefined;
  /** True if the row was loaded or made, even if it is removed now. */
  isKnown(...key: readonly KeyValue[]): boolean;
  all(): Row[];
  insert(row: Unsigned<Row>): Row;
  /** Writes a row that may exist already and was not loaded: the table's upsert decides the result. */
  upsert(row: Omit<Row, "user_id">): Row;
  update(row: Row, patch: Partial<Row>): Row;
  remove(...key: readonly KeyValue[]): void;
}>;

/** @param author of what is written; what a row or a patch says itself stands, as of a thing that returns */
export function ownRows<Name extends StateName>(
  state: State,
  name: Name,
  userId: string,
  author: string | null = null,
): OwnRows<Rows[Name]> {
  type Row = Rows[Name];
  const entries = entriesOf(state, name);
  const isSigned = isTable(name) && state.tables[name].isSigned;
  const write = (key: readonly KeyValue[], row: Row | undefined, whenAbsent: Written): void => {
    const entryKey = entryKeyOf(key);
    const before = entries.get(entryKey);
    state.changes.push({ name, entries, entryKey, before });
    const change = changeOf(before, whenAbsent);
    if (change === "none") entries.delete(entryKey);
    else entries.set(entryKey, { key, row, change });
  };
  const put = (row: Row, whenAbsent: Written): Row => {
    write(keyOfRow(state, name, row), row, whenAbsent);
    return row;
  };
  return {
    get: (...key) => entries.get(entryKeyOf([userId, ...key]))?.row,
    isKnown: (...key) => entries.has(entryKeyOf([userId, ...key])),
    all: () => [...entries.values()].flatMap(({ row }) => (row?.user_id === userId ? [row] : [])),
    insert: (fields) =>
      put({ ...(isSigned && signedNew(author)), ...fields, user_id: userId } as Row, "insert"),
    upsert: (fields) => put({ ...fields, user_id: userId } as Row, "upsert"),
    update: (row, patch) =>
      put({ ...row, ...(isSigned && signedChange(author, row, patch)), ...patch }, "update"),
    remove: (...key) => write([userId, ...key], undefined, "remove"),
  };
}

/** A row that this transaction made is not in the table yet; one that it removed still is there. */
function changeOf(before: Entry | undefined, now: Written): Entry["change"] {
  if (now === "remove") return before?.change === "insert" ? "none" : "remove";
  if (before === undefined) return now;
  return before.change === "insert" || before.change === "upsert" ? before.change : "update";
}

/** Undoes all changes but the first `count`. */
export function rollBack({ changes }: State, count: number): void {
  for (const { entries, entryKey, before } of changes.splice(count).reverse())
    if (before) entries.set(entryKey, before);
    else entries.delete(entryKey);
}

/** @returns visible changes except the first `count`: each row before them and now */
export function rowChanges({ changes }: State, count: number): RowChange[] {
  const rows = new Map<string, RowChange>();
  for (const { name, entries, entryKey, before } of changes.slice(count)) {
    if (!isSeen(name) || rows.has(`${name} ${entryKey}`)) continue;
    const [, ...key] = entryKey.split(separator);
    const after = entries.get(entryKey)?.row;
    rows.set(`${name} ${entryKey}`, { table: name, key, before: before?.row, after });
  }
  return [...rows.values()].filter(({ before, after }) => before !== after);
}
