import { isDeepStrictEqual } from "node:util";
import { timestamp } from "../day/day.ts";

/** The tables of what people can see, by which images name their rows. */
export const seenTables = [
  "categories",
  "habits",
  "habit_completions",
  "habit_amounts",
  "todos",
  "reminders",
] as const;
export type SeenTable = (typeof seenTables)[number];
const seen: ReadonlySet<string> = new Set(seenTables);
export const isSeen = (table: string): table is SeenTable => seen.has(table);

/** A row's fields, with times in UTC and a trailing Z. A whole row omits nulls. */
export type Image = Readonly<Record<string, unknown>>;

export const keyColumns: Readonly<Record<SeenTable, readonly string[]>> = {
  categories: ["id"],
  habits: ["id"],
  habit_completions: ["habit_id", "local_date"],
  habit_amounts: ["habit_id", "local_date"],
  todos: ["id"],
  reminders: ["todo_id"],
};

/** Columns of a habit that no answer shows. */
export const neverShown = [
  "free_dates",
  "done_from",
  "done_days",
  "edits",
  "pauses",
  "neutral_dates",
  "moved_to",
  "rings_at",
  "rang_on",
  "delivery_id",
] as const;

/** Columns that follow from a habit's completions, rules and reminder, or only an undo reads. */
const derivedColumns = [
  "completions_count",
  "streak",
  "streak_alive_through",
  "longest_streak",
  "next_due",
  "recent_dates",
  "skipped_dates",
  "recent_amounts",
  ...neverShown,
];

/** Columns of each table, looked up once, because every logged change needs them. */
const ofEach = (
  columnsOf: (table: SeenTable) => string[],
): Readonly<Record<SeenTable, ReadonlySet<string>>> => ({
  categories: new Set(columnsOf("categories")),
  habits: new Set(columnsOf("habits")),
  habit_completions: new Set(columnsOf("habit_completions")),
  habit_amounts: new Set(columnsOf("habit_amounts")),
  todos: new Set(columnsOf("todos")),
  reminders: new Set(columnsOf("reminders")),
});

export const writerColumn = "written_by";
const authorColumns = ["created_by", "changed_by", writerColumn];

/** Columns that are not part of a change: they follow from it, or only an undo reads them. */
const following = ofEach((table) => [
  "updated_at",
  "former_category_id",
  ...authorColumns,
  ...(table === "habits" ? derivedColumns : []),
]);

/** The owner, the transaction that wrote the row, and the key, by which images name the row. */
const hidden = ofEach((table) => ["user_id", "changed_xid", ...keyColumns[table]]);

export const countField = "completions_count";

/**
 * A new row is restored without columns that follow from others. Its count of completions shows later whether more
 * came.
 */
const hiddenOfMade = ofEach((table) =>
  ["created_at", ...hidden[table], ...following[table]].filter((column) => column !== countField),
);

/** @returns a row's fields as images have them, without its key */
export const fieldsOf = (table: SeenTable, row: Columns): Record<string, unknown> =>
  fieldsBut(hidden[table], row);

/** @returns the fields of a new row */
export const fieldsOfMade = (table: SeenTable, row: Columns): Image => fieldsBut(hiddenOfMade[table], row);

export type Columns = Readonly<Record<string, unknown>>;

function fieldsBut(left: ReadonlySet<string>, columns: Columns): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const column in columns) {
    const value = columns[column];
    if (value != null && !left.has(column)) fields[column] = inImage(column, value);
  }
  return fields;
}

/** PostgreSQL and handlers write the same times in different forms. */
function inImage(column: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (column.endsWith("_at")) return isClockTime(value) ? value : timestamp(value);
  return column === "wall_time" ? value.replace(" ", "T") : value;
}

/** A habit's reminder is a time of day, such as `07:00`. */
const isClockTime = (value: string): boolean => value.length === 5;

/** True if a field has the same value in two images or rows; an absent one equals null. */
export function isSame(one: unknown, other: unknown): boolean {
  const [value, counterpart] = [one ?? null, other ?? null];
  return value === counterpart || (typeof value === "object" && isDeepStrictEqual(value, counterpart));
}

/**
 * Columns that mean something only together: an image that has one of them has all, and an undo restores all or none.
 * A reminder's two columns are its time, and whether that follows the user's zone.
 */
export const columnGroups: Readonly<Partial<Record<SeenTable, readonly string[]>>> = {
  habits: ["paused_from", "paused_through"],
  habit_amounts: ["amount", "target", "begun_at"],
  reminders: ["remind_at", "wall_time"],
};

/** @returns the fields in which two states of a row differ; both have all columns */
export function changedColumns(table: SeenTable, before: Columns, after: Columns): string[] {
  const names: string[] = [];
  for (const column in after) {
    const [old, value] = [before[column] ?? null, after[column] ?? null];
    if (old === value || following[table].has(column) || hidden[table].has(column)) continue;
    if (!isSame(inImage(column, old), inImage(column, value))) names.push(column);
  }
  const group = columnGroups[table] ?? [];
  const isOfGroup = group.some((column) => names.includes(column));
  const rest = isOfGroup ? group.filter((column) => !names.includes(column)) : [];
  // Words and their writer count as one field.
  const isWritten = names.length > 0 && !isSame(before[writerColumn], after[writerColumn]);
  return [...names, ...rest, ...(isWritten ? [writerColumn] : [])];
}

export function pick(row: Columns, names: readonly string[]): Image {
  const fields: Record<string, unknown> = {};
  for (const name of names) fields[name] = inImage(name, row[name] ?? null);
  return fields;
}

/** @returns the fields in which a row differs from what an action left, except those that follow from other rows */
export function changedSince(table: SeenTable, made: Image, row: Columns): string[] {
  const fields = fieldsOf(table, row);
  const names = new Set([...Object.keys(made), ...Object.keys(fields)]);
  names.delete("created_at");
  return [...names].filter((name) => !following[table].has(name) && !isSame(made[name], fields[name]));
}
