import type { HabitHistory } from "../habit/history.ts";
import type { Rules, Schedule } from "../habit/schedule.ts";
import { type ResourceKind, tableOf } from "../vocabulary.ts";
import {
  type Columns,
  changedColumns,
  fieldsOf,
  fieldsOfMade,
  type Image,
  isSame,
  pick,
  type SeenTable,
  seenTables,
} from "./image-fields.ts";

/**
 * Changes of an action, by row: `todos/5`, `habit_completions/7/2026-11-20`. A new row is only in `after`, a
 * removed one only in `before`. Of any other, the fields that differ are in both.
 */
export type Images = Readonly<Record<string, Image>>;
export type BeforeAndAfter = Readonly<{ before: Images; after: Images }>;

type RowName = Readonly<{ table: SeenTable; key: readonly string[] }>;

export type RowChange = RowName & Readonly<{ before: object | undefined; after: object | undefined }>;

const rowName = ({ table, key }: RowName): string => [table, ...key].join("/");

/** @throws Error for a name of no row */
export function parseRowName(name: string): RowName {
  const [first, ...key] = name.split("/");
  const table = seenTables.find((one) => one === first);
  if (!table) throw new Error(`No table has the row ${name}.`);
  return { table, key };
}

const owners: Readonly<Record<SeenTable, ResourceKind>> = {
  categories: "category",
  habits: "habit",
  habit_completions: "habit",
  habit_amounts: "habit",
  todos: "todo",
  reminders: "todo",
};

/** @returns the resource that a row is or belongs to */
export const ownerOf = (table: SeenTable): ResourceKind => owners[table];

/** @returns the resource of a row; undefined for a row that belongs to another */
export const kindOfTable = (table: SeenTable): ResourceKind | undefined =>
  tableOf[owners[table]] === table ? owners[table] : undefined;

/** The things whose rows are in images, such as `todo/5`. */
export const thingsIn = ({ before, after }: BeforeAndAfter): Set<string> =>
  new Set(Object.keys({ ...before, ...after }).map(thingOf));

function thingOf(name: string): string {
  const { table, key } = parseRowName(name);
  return `${owners[table]}/${key[0]}`;
}

/** In images of a habit: its rules, edits and pauses, if these changed. */
export const historyField = "history";
export type History = Readonly<{ rules: Rules & { schedule: Schedule | null } }> &
  Pick<HabitHistory, "edits" | "pauses">;

/** In images of a habit: the skipped days that only the one of both has. */
export const skippedField = "skipped_dates";

/** In the image of a removed habit: the settings of its user's day. */
export const daySettingsField = "day_settings";
export type DaySettings = Readonly<{ time_zone: string; day_start_hour: number }>;

/** @param day the user's day settings when that happened */
export function imagesOf(changes: readonly RowChange[], day: DaySettings): BeforeAndAfter {
  const context = changes.length > 1 ? contextOf(changes) : alone;
  const before: Record<string, Image> = {};
  const after: Record<string, Image> = {};
  for (const change of changes) {
    const name = rowName(change);
    if (isOfMadeHabit(change, context)) continue;
    const [old, made] = imagesOfRow(change, context);
    const isGoneHabit = change.table === "habits" && !made;
    if (old) before[name] = isGoneHabit ? { ...old, [daySettingsField]: day } : old;
    if (made) after[name] = made;
  }
  return { before, after };
}

/** Rows that an action made and removed. These are sets, because there can be thousands of changes. */
type Context = Readonly<Record<"made" | "gone", ReadonlySet<string>>>;

/** A single change cannot follow from another one. */
const alone: Context = { made: new Set(), gone: new Set() };

function contextOf(changes: readonly RowChange[]): Context {
  const made = new Set<string>();
  const gone = new Set<string>();
  for (const { table, key, before, after } of changes) {
    if (!before) made.add(rowName({ table, key }));
    if (!after) gone.add(rowName({ table, key }));
  }
  return { made, gone };
}

/** A habit that comes back brings its completions and amounts along. */
const isOfMadeHabit = ({ table, key, before }: RowChange, { made }: Context): boolean =>
  (table === "habit_completions" || table === "habit_amounts") && !before && made.has(`habits/${key[0]}`);

function imagesOfRow(
  { table, before, after }: RowChange,
  { made, gone }: Context,
): [Image | undefined, Image | undefined] {
  if (!before) return [undefined, after && fieldsOfMade(table, after)];
  if (!after) return [fieldsOf(table, before), undefined];
  const [old, changed] = [before as Columns, after as Columns];
  // A restored category has its former members again; a removed one leaves them.
  const isByCategory =
    (made.has(`categories/${changed.category_id}`) && isSame(changed.category_id, old.former_category_id)) ||
    (gone.has(`categories/${old.category_id}`) && isSame(old.category_id, changed.former_category_id));
  const names = changedColumns(table, old, changed).filter(
    (column) => !(column === "category_id" && isByCategory),
  );
  // The status that came with the time tells whether it rang since.
  if (table === "reminders" && names.includes("remind_at") && !names.includes("status")) names.push("status");
  const [past, present] = table === "habits" ? historiesOf(old, changed, names) : [];
  if (names.length === 0 && !past) return [undefined, undefined];
  return [
    { ...pick(old, names), ...formerCategory(names, old), ...past },
    { ...pick(changed, names), ...present },
  ];
}

/** The deleted category that a row would return to, if the action gave it another: the row forgets it when that goes. */
const formerCategory = (names: readonly string[], { former_category_id }: Columns): Image =>
  names.includes("category_id") && former_category_id != null ? { former_category_id } : {};

const ruleColumns = ["frequency", "schedule", "grace_days", "paused_from", "paused_through"];

/** The history before and after, if it changed otherwise than by the completions of the action. */
function historiesOf(before: Columns, after: Columns, names: readonly string[]): readonly Image[] {
  const isEdit = names.some((name) => ruleColumns.includes(name));
  const [old, skipped] = [before[skippedField], after[skippedField]] as string[][];
  if (!isEdit && isSame(old, skipped)) return [];
  const image = (row: Columns, dates: readonly string[] = [], others: readonly string[] = []): Image => ({
    ...(isEdit && { [historyField]: historyOf(row as HabitHistory) }),
    ...(!isSame(dates, others) && { [skippedField]: dates.filter((date) => !others.includes(date)) }),
  });
  return [image(before, old, skipped), image(after, skipped, old)];
}

const historyOf = ({ frequency, schedule = null, grace_days, edits, pauses }: HabitHistory): History => ({
  rules: { frequency, schedule, grace_days },
  edits,
  pauses,
});
