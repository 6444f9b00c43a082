import type {
  ActionImagesRow,
  ActionRow,
  ByteLedgerRow,
  CalendarFeedRow,
  CategoryRow,
  DeletionRow,
  HabitCompletionRow,
  HabitRow,
  ImportKeyRow,
  ImportPartRow,
  InboxRow,
  ReminderDeliveryRow,
  ReminderRow,
  TodoRow,
  UserRow,
  WorkRow,
} from "../../shared/db/entities.ts";

/** The rows that a batch can load and change, in the order in which they are written. */
export type Rows = {
  users: UserRow;
  categories: CategoryRow;
  habits: HabitRow;
  habit_completions: HabitCompletionRow;
  todos: TodoRow;
  reminders: ReminderRow;
  reminder_deliveries: ReminderDeliveryRow;
  action_log: ActionRow;
  action_images: ActionImagesRow;
  deletions: DeletionRow;
  category_members: CategoryMembers;
  category_returns: CategoryMembers;
  habit_histories: HabitHistory;
  habit_returns: HabitReturn;
  deleted_completions: HabitCompletionRow;
  import_parts: ImportPartRow;
  import_keys: ImportKeyRow;
  calendar_feeds: CalendarFeedRow;
  works: WorkRow;
  inbox: InboxRow;
  byte_ledger: ByteLedgerRow;
};
export type TableName = keyof Rows;

/** No rows of a table: the habits and todos of a category. */
type CategoryMembers = Readonly<{
  user_id: string;
  id: number;
  habit_ids: readonly number[];
  todo_ids: readonly number[];
  /** Too many for one command come back in steps, all but these. */
  except?: Readonly<{ habit_ids: number[]; todo_ids: number[] }>;
}>;

/** No row of a table either: many completions of one new habit, which are written without being loaded. */
type HabitHistory = Readonly<{
  user_id: string;
  habit_id: number;
  dates: readonly string[];
  /** When each was completed; noon (UTC) of its day where that is not known. */
  times: readonly (string | null)[];
}>;

/** No row of a table: the completions of a deleted habit that comes back. */
export type HabitReturn = Readonly<{
  user_id: string;
  habit_id: number;
  /** How many completions it has. */
  count: number;
  /** The dates whose completions are rows of the unit of work. */
  known: readonly string[];
  /** Whether it is deleted again, with these completions in place of those known. */
  is_gone_again: boolean;
  dates: readonly string[];
  times: readonly string[];
}>;

export type KeyValue = string | number;
/** What becomes of a row that has to be written. */
export type Written = "insert" | "upsert" | "update" | "remove";
/** A row as the commands so far left it, and as PostgreSQL has it where it was loaded and then changed. */
export type Entry<Row> = Readonly<{
  key: readonly KeyValue[];
  row: Row | undefined;
  change: "none" | Written;
  stored?: Row | undefined;
}>;

export type Statement = Readonly<{ text: string; values: unknown[] }>;

export type TableMap = Readonly<Record<TableName, Table>>;

export type Column = Readonly<{ name: string; type: string }>;

/** A table with its statements. Each has one text for any number of rows, so that it is planned once. */
export type Table = Readonly<{
  name: TableName;
  columns: readonly Column[];
  key: readonly Column[];
  /** Writes what is no plain row. */
  writes?: (kind: Written, changed: readonly Entry<object>[]) => readonly Statement[];
  sql: Readonly<{
    forUpdate: string;
    /** Never waits: of a row that another transaction has locked, it returns only the key. */
    forUpdateSkipLocked: string;
    /** The lock of a foreign key: the row cannot be deleted, and inserting a reference to it never waits. */
    forKeyShare: string;
    forKeyShareSkipLocked: string;
    /** All rows of the given users. */
    allForUpdate: string;
    read: string;
    /** All rows of the given users. */
    readAll: string;
    /** Takes the rows as one JSON array, as do `upsert` and `update`. */
    insert: string;
    upsert: string;
    update: string;
    remove: string;
  }>;
}>;
