import type { ByteKind } from "../../shared/db/entities.ts";

export type Column = Readonly<{ name: string; type: string }>;

/** The columns whose length counts in what an account keeps. */
export type SizedColumns = Readonly<{ texts: readonly string[]; lists: readonly string[] }>;

/** Settings of a table in the unit of work, beyond its entity. */
export type TableSpec = Readonly<{
  /** The name for handlers, if they may see it. */
  as?: string;
  /** The key by which commands name rows, if it is not the primary key. */
  key?: readonly string[];
  /** The kind of the tombstones (`deletions`) that its deleted rows leave. */
  tombstone?: number;
  /** The conflict clause of an upsert; without one, it replaces the row. */
  onConflict?: string;
  /** The columns that an update changes, if not all. */
  updates?: readonly string[];
  /** Statements in place of the usual ones. */
  own?: Partial<Statements>;
  /** The kind of its bytes in what an account keeps: `things` unless it says another. */
  bytes?: ByteKind | "none";
}>;

/** Each statement has one text for any number of rows, so that it is planned once. */
export type Statements = Readonly<{
  forUpdate: string;
  /** Never waits: for a row that another transaction has locked, it returns only the key. */
  forUpdateSkipLocked: string;
  /** The lock of a foreign key: the row cannot be deleted, and inserting a reference to it never waits. */
  forKeyShare: string;
  forKeyShareSkipLocked: string;
  /** All rows of the given users. */
  allForUpdate: string;
  read: string;
  /** All rows of the given users. */
  readAll: string;
  /** Takes the rows as one JSON array, like `upsert` and `update`. */
  insert: string;
  upsert: string;
  update: string;
  remove: string;
}>;

/** A table with its statements. */
export type Table<Name extends string = string> = Readonly<{
  name: Name;
  columns: readonly Column[];
  key: readonly string[];
  bytes: NonNullable<TableSpec["bytes"]>;
  sized: SizedColumns;
  /** True if its rows name their authors. */
  isSigned: boolean;
  sql: Statements;
}>;

/** Computed rows that commands read. The statement takes one array for each column of the key. */
export type View = Readonly<{ as: string; key: readonly string[]; read: string }>;

/** A change of many rows that a handler requests without loading them, at most once for each user and key. */
export type Effect<Row> = Readonly<{
  key: readonly ["user_id", keyof Row & string];
  /** Takes the requests as one JSON array; undefined for an effect without a statement. */
  statement?: string;
  /** Takes the rows that the statement returns for these requests. */
  written?(rows: readonly Row[], answers: readonly Readonly<Record<string, unknown>>[]): void;
  /** The number of rows that the statement writes for one request, if it can be thousands. */
  size?(row: Row): number;
}>;
