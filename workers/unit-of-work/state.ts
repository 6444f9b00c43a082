import { type Columns, isSeen } from "../../shared/domain/action/image-fields.ts";
import type { RowChange } from "../../shared/domain/action/images.ts";
import { signedChange, signedNew, type Unsigned } from "../../shared/domain/author.ts";
import type { Queryable } from "./connection.ts";
import { type RowRequest, requestId, type UserRowRequest } from "./row-request.ts";
import {
  type EffectName,
  effectNames,
  effects,
  isView,
  type Rows,
  tables as specs,
  type TableMap,
  type TableName,
  tableNames,
  tables,
  views,
} from "./tables.ts";

type KeyValue = string | number;
export type Written = "insert" | "upsert" | "update" | "remove";
/** A row as earlier commands left it. */
export type Entry<Row = Columns> = Readonly<{
  key: readonly KeyValue[];
  row: Row | undefined;
  change: "none" | Written;
}>;

/** Rows by key. Entries are replaced, never changed. */
type Entries<Row = Columns> = Map<string, Entry<Row>>;

export type StateName = keyof Rows;

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
  return columns.map((column): KeyValue => Reflect.get(row, column));
}

const separator = "\u0000";
const entryKeyOf = (key: readonly KeyValue[]): string => key.join(separator);

/** Adds a row as PostgreSQL has it, unless it is known. */
export function remember(state: State, name: StateName, row: Columns): void {
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
  /** @returns the changed row */
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

/** The treatment of rows locked by another transaction: wait, or leave them out. */
export type OnLocked = "skip" | "wait";

const strength = { none: 0, "key share": 1, update: 2 } as const;

type Group = Readonly<{
  name: RowRequest["table"];
  lock: RowRequest["lock"];
  requests: UserRowRequest[];
}>;

/**
 * Loads the requested rows into `state` by one query per table and lock. All are sent at once, with tables and keys
 * in one fixed order, so that two transactions never wait for each other in a circle.
 */
export async function load(
  connection: Queryable,
  state: State,
  requests: readonly UserRowRequest[],
  onLocked: OnLocked,
): Promise<void> {
  const { skipped } = state;
  const queries = groups(requests).map(async (group) => {
    const { name, lock } = group;
    const { rows } = await connection.query<LoadedRow>(statement(state, group, onLocked), keyArrays(group));
    const isSkipped = (row: LoadedRow) => onLocked === "skip" && lock !== "none" && row.created_at === null;
    for (const row of rows.filter(isSkipped)) skipped.add(idOfRow(state, name, row));
    const mayBeKnown = lock !== "none" && (state.entries.get(name)?.size ?? 0) > 0;
    for (const request of mayBeKnown ? group.requests : [])
      if (!skipped.has(requestId(request))) forget(state, name, [request.userId, ...(request.key ?? [])]);
    for (const row of rows) if (!isSkipped(row)) remember(state, name, row);
  });
  await Promise.all(queries);
}

/** Every table whose rows are locked has a time of creation, so a row without one is the key of a skipped row. */
type LoadedRow = { created_at?: string | null };

/** The same id as `requestId` gives to the request for the row. */
const idOfRow = (state: State, name: Group["name"], row: object): string =>
  [name, ...keyOfRow(state, name, row)].join("\u0000");

const order = Object.keys({ ...tables, ...views });

/** Each row once, with its strongest lock, grouped by table in the order of writing and sorted by key. */
function groups(requests: readonly UserRowRequest[]): Group[] {
  if (requests.length === 0) return [];
  const strongest = new Map<string, UserRowRequest>();
  for (const request of requests) {
    const id = requestId(request);
    const known = strongest.get(id);
    if (!known || strength[request.lock] > strength[known.lock]) strongest.set(id, request);
  }
  const grouped = new Map<string, Group>();
  for (const request of strongest.values()) {
    const { table: name, lock, key } = request;
    const id = `${name} ${lock} ${key === undefined}`;
    const group = grouped.get(id) ?? { name, lock, requests: [] };
    group.requests.push(request);
    grouped.set(id, group);
  }
  for (const { requests } of grouped.values()) requests.sort(byKey);
  return [...grouped.values()].sort((one, other) => order.indexOf(one.name) - order.indexOf(other.name));
}

function byKey(one: UserRowRequest, other: UserRowRequest): number {
  if (one.userId !== other.userId) return one.userId < other.userId ? -1 : 1;
  for (const [index, part] of (one.key ?? []).entries()) {
    const counterpart = other.key?.[index] ?? 0;
    if (part !== counterpart) return part < counterpart ? -1 : 1;
  }
  return 0;
}

function statement({ tables }: State, { name, lock, requests: [first] }: Group, onLocked: OnLocked): string {
  if (isView(name)) return views[name].read;
  const { sql, key } = tables[name];
  if (first?.key === undefined && key.length > 1) return lock === "none" ? sql.readAll : sql.allForUpdate;
  if (lock === "none") return sql.read;
  if (lock === "key share") return onLocked === "wait" ? sql.forKeyShare : sql.forKeyShareSkipLocked;
  return onLocked === "wait" ? sql.forUpdate : sql.forUpdateSkipLocked;
}

function keyArrays({ requests }: Group): unknown[] {
  const columns = requests[0]?.key ?? [];
  return [
    requests.map(({ userId }) => userId),
    ...columns.map((_, index) => requests.map(({ key }) => key?.[index])),
  ];
}

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
