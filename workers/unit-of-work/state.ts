import type { Entry, KeyValue, Rows, TableMap, TableName } from "./table.ts";

type Change = Entry<object>["change"];

/** The rows of one table by primary key, as the commands so far left them. */
type TableState<Row> = Readonly<{
  keyColumns: readonly string[];
  entries: Map<string, Entry<Row>>;
}>;

export type State = { [Name in TableName]: TableState<Rows[Name]> };

export function emptyState(tables: TableMap): State {
  const states = Object.values(tables).map(({ name, key }) => {
    return [name, { keyColumns: key.map((column) => column.name), entries: new Map() }] as const;
  });
  return Object.fromEntries(states) as unknown as State;
}

const placeOf = (key: readonly KeyValue[]): string => key.join("\u0000");

const keyOfRow = <Row>({ keyColumns }: TableState<Row>, row: Row): KeyValue[] =>
  keyColumns.map((column) => row[column as keyof Row] as KeyValue);

/** Adds a row as Postgres has it, unless it is known already. */
export function remember<Row>(table: TableState<Row>, row: Row): void {
  const key = keyOfRow(table, row);
  const place = placeOf(key);
  if (!table.entries.has(place)) table.entries.set(place, { key, row, change: "none" });
}

/** Drops a row that was read before it was to be locked, because by then it may have changed or gone. */
export function forget<Row>({ entries }: TableState<Row>, key: readonly KeyValue[]): void {
  const place = placeOf(key);
  if (entries.get(place)?.change === "none") entries.delete(place);
}

/** A table as a handler sees it: the calling user's rows and no others. */
export type OwnRows<Row> = Readonly<{
  get(...key: readonly KeyValue[]): Row | undefined;
  /** Whether the row was loaded or made, also when it is removed by now. */
  isKnown(...key: readonly KeyValue[]): boolean;
  all(): Row[];
  insert(row: Omit<Row, "user_id">): Row;
  /** For a row that may stand already and was not loaded: the table's upsert decides what becomes of it. */
  upsert(row: Omit<Row, "user_id">): Row;
  /** @returns the changed row */
  update(row: Row, patch: Partial<Row>): Row;
  remove(...key: readonly KeyValue[]): void;
}>;

/** Is told of each row that is about to change: its place and what is there before. */
export type NoteRow = (place: string, before: Entry<object> | undefined) => void;

export function ownRows<Row extends { user_id: string }>(
  table: TableState<Row>,
  userId: string,
  note?: NoteRow,
): OwnRows<Row> {
  const { entries } = table;
  const put = (row: Row, whenAbsent: Change): Row => {
    const key = keyOfRow(table, row);
    const place = placeOf(key);
    const known = entries.get(place);
    const before = known?.change;
    note?.(place, known as Entry<object> | undefined);
    // A row that this batch made is not in the table yet; one that it removed still is.
    entries.set(place, {
      key,
      row,
      stored: storedRow(known),
      change:
        before === "insert" || before === "upsert" ? before : before === undefined ? whenAbsent : "update",
    });
    return row;
  };
  return {
    get: (...key) => entries.get(placeOf([userId, ...key]))?.row,
    isKnown: (...key) => entries.has(placeOf([userId, ...key])),
    all: () => [...entries.values()].flatMap(({ row }) => (row?.user_id === userId ? [row] : [])),
    insert: (fields) => put({ ...fields, user_id: userId } as Row, "insert"),
    upsert: (fields) => put({ ...fields, user_id: userId } as Row, "upsert"),
    update: (row, patch) => put({ ...row, ...patch }, "update"),
    remove(...rest) {
      const key = [userId, ...rest];
      const place = placeOf(key);
      note?.(place, entries.get(place) as Entry<object> | undefined);
      if (entries.get(place)?.change === "insert") entries.delete(place);
      else
        entries.set(place, { key, row: undefined, change: "remove", stored: storedRow(entries.get(place)) });
    },
  };
}

const storedRow = <Row>(entry: Entry<Row> | undefined): Row | undefined =>
  entry?.change === "none" ? entry.row : entry?.stored;

/** Notes every row as it is. @returns a function that makes all changes since then undone */
export function checkpoint(state: State): () => void {
  const undo = Object.values(state).map(({ entries }) => restorer(entries));
  return () => {
    for (const restore of undo) restore();
  };
}

/** Entries are never changed but replaced, so that a copy of the map is enough. */
function restorer(entries: Map<string, unknown>): () => void {
  const before = [...entries];
  return () => {
    entries.clear();
    for (const [place, entry] of before) entries.set(place, entry);
  };
}
