import { dayNumber } from "../day/day.ts";
import type { FreeDays } from "../habit/free-days.ts";
import type { StreakEvents } from "../habit/recent-events.ts";
import type { Rules } from "../habit/schedule.ts";
import type { StreakState } from "../habit/streak.ts";
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

/** In images of a habit: the base of its streak, if an undo needs it. */
export const historyField = "history";
export type History = Readonly<{ rules: Rules; events: StreakEvents; free?: FreeDays | undefined }>;

/** In images of a habit: skipped days that can still change. */
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

/**
 * Rows that an action made and removed, and habits that lost completions by it. These are sets, because there can
 * be thousands of changes.
 */
type Context = Readonly<Record<"made" | "gone" | "uncompleted", ReadonlySet<string>>>;

/** A single change cannot follow from another one. */
const alone: Context = { made: new Set(), gone: new Set(), uncompleted: new Set() };

function contextOf(changes: readonly RowChange[]): Context {
  const made = new Set<string>();
  const gone = new Set<string>();
  const uncompleted = new Set<string>();
  for (const { table, key, before, after } of changes) {
    if (!before) made.add(rowName({ table, key }));
    if (!after) gone.add(rowName({ table, key }));
    if (!after && table === "habit_completions") uncompleted.add(key[0] ?? "");
  }
  return { made, gone, uncompleted };
}

/** A habit that comes back brings its completions and amounts along. */
const isOfMadeHabit = ({ table, key, before }: RowChange, { made }: Context): boolean =>
  (table === "habit_completions" || table === "habit_amounts") && !before && made.has(`habits/${key[0]}`);

function imagesOfRow(
  { table, before, after, key }: RowChange,
  { made, gone, uncompleted }: Context,
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
  // A completion is only another event. Removing one, or an edit of the rules, may have merged events.
  const isEdit = names.some((name) => ruleColumns.includes(name));
  const skips = table === "habits" ? skipsOf(old, changed) : undefined;
  const events = table === "habits" && (isEdit || uncompleted.has(key[0] ?? ""));
  if (names.length === 0 && !events && !skips) return [undefined, undefined];
  return [
    { ...pick(old, names), ...formerCategory(names, old), ...(events && historyOf(before)), ...skips?.[0] },
    { ...pick(changed, names), ...(events && historyOf(after)), ...skips?.[1] },
  ];
}

/** The deleted category that a row would return to, if the action gave it another: the row forgets it when that goes. */
const formerCategory = (names: readonly string[], { former_category_id }: Columns): Image =>
  names.includes("category_id") && former_category_id != null ? { former_category_id } : {};

/** Skipped days before and after, if they changed. Days that became too old to change do not count. */
function skipsOf(before: Columns, after: Columns): readonly [Image, Image] | undefined {
  const [old, skipped] = [before[skippedField], after[skippedField]] as string[][];
  const { since = 0 } = (after.streak_state ?? {}) as Partial<StreakState>;
  const recent = (dates: readonly string[] = []) => dates.filter((date) => dayNumber(date) >= since);
  if (isSame(recent(old), recent(skipped))) return undefined;
  return [{ [skippedField]: recent(old) }, { [skippedField]: recent(skipped) }];
}

const ruleColumns = ["frequency", "schedule", "grace_days", "paused_from", "paused_through"];

/** @param row of a habit */
function historyOf(row: object): Image {
  const {
    frequency,
    schedule = null,
    grace_days,
    streak_state,
  } = row as Rules & { streak_state: StreakState };
  const history: History = {
    rules: { frequency, schedule, grace_days },
    events: streak_state.recent,
    ...(streak_state.free && { free: streak_state.free }),
  };
  return { [historyField]: history };
}
