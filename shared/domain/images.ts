import { isDeepStrictEqual } from "node:util";
import type { StreakEvents } from "./recent-events.ts";
import type { Rules } from "./schedule.ts";
import type { StreakState } from "./streak.ts";
import { timestamp } from "./timestamp.ts";
import type { ResourceKind } from "./vocabulary.ts";

/** The tables of what people can see, by which images name their rows. */
export const seenTables = ["categories", "habits", "habit_completions", "todos", "reminders"] as const;
export type SeenTable = (typeof seenTables)[number];

/** A row's fields, times as UTC with a trailing Z. What is null is left out where the whole row is meant. */
export type Image = Readonly<Record<string, unknown>>;

/**
 * What an action changed, by row: `todos/5`, `habit_completions/7/2026-11-20`. A row that it made is in `after` alone, one
 * that it removed in `before` alone, and of any other the fields that differ are in both.
 */
export type Images = Readonly<Record<string, Image>>;
export type BeforeAndAfter = Readonly<{ before: Images; after: Images }>;

export type RowName = Readonly<{ table: SeenTable; key: readonly string[] }>;

/** One row before and after an action; undefined where there is none. */
export type RowChange = RowName & Readonly<{ before: object | undefined; after: object | undefined }>;

const rowName = ({ table, key }: RowName): string => [table, ...key].join("/");

/** @throws Error for what names no row */
export function parseRowName(name: string): RowName {
  const [first, ...key] = name.split("/");
  const table = seenTables.find((one) => one === first);
  if (!table) throw new Error(`No table has the row ${name}.`);
  return { table, key };
}

const kinds: Partial<Record<SeenTable, ResourceKind>> = {
  categories: "category",
  habits: "habit",
  todos: "todo",
};

/** @returns the resource that a row is, or undefined for one that belongs to another */
export const kindOfTable = (table: SeenTable): ResourceKind | undefined => kinds[table];

const keyColumns: Readonly<Record<SeenTable, readonly string[]>> = {
  categories: ["id"],
  habits: ["id"],
  habit_completions: ["habit_id", "local_date"],
  todos: ["id"],
  reminders: ["todo_id"],
};

/** What follows from the completions and the rules of a habit. */
const derivedColumns = [
  "completions_count",
  "streak",
  "streak_alive_through",
  "longest_streak",
  "next_due",
  "recent_dates",
  "streak_state",
];

/** In images of a habit: its rules and the events of its streak, where a change cannot be taken back without them. */
export const historyField = "history";
export type History = Readonly<{ rules: Rules; events: StreakEvents }>;

/** In the image of a habit that was removed: what made its user's day. */
export const daySettingsField = "day_settings";
export type DaySettings = Readonly<{ time_zone: string; day_start_hour: number }>;

/** What is no part of a change, because it follows from it. */
function isFollowing(table: SeenTable, column: string): boolean {
  return column === "updated_at" || (table === "habits" && derivedColumns.includes(column));
}

/** The owner, and by which transaction the row was written. */
const notShown = ["user_id", "changed_xid"];

/** @returns a row's fields as images have them, without its key */
export function fieldsOf(table: SeenTable, row: object): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(row))
    if (value != null && !notShown.includes(column) && !keyColumns[table].includes(column))
      fields[column] = inImage(column, value);
  return fields;
}

/** PostgreSQL and handlers write the same times in different forms. */
function inImage(column: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (column.endsWith("_at")) return timestamp(value);
  return column === "wall_time" ? value.replace(" ", "T") : value;
}

/** Whether a field has the same value in two images or rows; nothing is the same as null. */
export const isSame = (one: unknown, other: unknown): boolean =>
  isDeepStrictEqual(one ?? null, other ?? null);

/** @param day the user's day settings when that happened */
export function imagesOf(changes: readonly RowChange[], day: DaySettings): BeforeAndAfter {
  const before: Record<string, Image> = {};
  const after: Record<string, Image> = {};
  for (const change of changes) {
    if (isOfMadeHabit(change, changes)) continue;
    const [old, made] = imagesOfRow(change, changes);
    const name = rowName(change);
    const isGoneHabit = change.table === "habits" && !made;
    if (old) before[name] = isGoneHabit ? { ...old, [daySettingsField]: day } : old;
    if (made) after[name] = made;
  }
  return { before, after };
}

/** A habit that comes back brings its completions along, which can be thousands; so does a category its members. */
const isOfMadeHabit = ({ table, key, before }: RowChange, changes: readonly RowChange[]): boolean =>
  table === "habit_completions" && !before && isMade("habits", key[0], changes);

const isMade = (table: SeenTable, id: unknown, changes: readonly RowChange[]): boolean =>
  changes.some((other) => other.table === table && other.key[0] === String(id) && !other.before);

function imagesOfRow(
  { table, before, after, key }: RowChange,
  changes: readonly RowChange[],
): [Image | undefined, Image | undefined] {
  if (!before) return [undefined, after && own(table, after)];
  const old = fieldsOf(table, before);
  if (!after) return [old, undefined];
  const changed = fieldsOf(table, after);
  const names = [...new Set([...Object.keys(old), ...Object.keys(changed)])].filter(
    (column) =>
      !isFollowing(table, column) &&
      !isSame(old[column], changed[column]) &&
      !(column === "category_id" && isMade("categories", changed[column], changes)),
  );
  const events = table === "habits" && needsEvents(names, key, changes);
  if (names.length === 0 && !events) return [undefined, undefined];
  return [
    { ...pick(old, names), ...(events && historyOf(before)) },
    { ...pick(changed, names), ...(events && historyOf(after)) },
  ];
}

/** Of a row that was made, what follows is made again with it; how many completions it has tells whether more came. */
const own = (table: SeenTable, row: object): Image =>
  Object.fromEntries(
    Object.entries(fieldsOf(table, row)).filter(
      ([column]) => column === countField || (column !== "created_at" && !isFollowing(table, column)),
    ),
  );

export const countField = "completions_count";

const ruleColumns = ["frequency", "schedule", "grace_days"];

/** A completion is only another event, but what took one away or edited the rules may have merged some. */
const needsEvents = (
  names: readonly string[],
  [habitId]: readonly string[],
  changes: readonly RowChange[],
): boolean =>
  names.some((name) => ruleColumns.includes(name)) ||
  changes.some(({ table, key, after }) => table === "habit_completions" && key[0] === habitId && !after);

/** @param row of a habit */
function historyOf(row: object): Image {
  const {
    frequency,
    schedule = null,
    grace_days,
    streak_state,
  } = row as Rules & { streak_state: StreakState };
  const history: History = { rules: { frequency, schedule, grace_days }, events: streak_state.recent };
  return { [historyField]: history };
}

const pick = (fields: Image, names: readonly string[]): Image =>
  Object.fromEntries(names.map((name) => [name, fields[name] ?? null]));

/** @returns the fields in which a row is not as an action made it; what follows from other rows does not count */
export function changedSince(table: SeenTable, made: Image, row: object): string[] {
  const fields = fieldsOf(table, row);
  const names = new Set([...Object.keys(made), ...Object.keys(fields)]);
  names.delete("created_at");
  return [...names].filter((name) => !isFollowing(table, name) && !isSame(made[name], fields[name]));
}
