import type { StreakEvents } from "../habit/recent-events.ts";
import type { Rules } from "../habit/schedule.ts";
import type { StreakState } from "../habit/streak.ts";
import type { ResourceKind } from "../vocabulary.ts";
import {
  type Columns,
  changedColumns,
  fieldsOf,
  fieldsOfMade,
  type Image,
  pick,
  type SeenTable,
  seenTables,
} from "./image-fields.ts";

/**
 * Changes of an action, by row: `todos/5`, `habit_completions/7/2026-11-20`. A row that it made is in `after` alone, one
 * that it removed in `before` alone, and of any other the fields that differ are in both.
 */
export type Images = Readonly<Record<string, Image>>;
export type BeforeAndAfter = Readonly<{ before: Images; after: Images }>;

type RowName = Readonly<{ table: SeenTable; key: readonly string[] }>;

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

/** In images of a habit: its rules and the events of its streak, where a change cannot be taken back without them. */
export const historyField = "history";
export type History = Readonly<{ rules: Rules; events: StreakEvents }>;

/** In the image of a habit that was removed: what made its user's day. */
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

/** The rows that an action made and removed, and the habits that it took completions from: sets, as changes can be thousands. */
type Context = Readonly<Record<"made" | "gone" | "uncompleted", ReadonlySet<string>>>;

/** A single change has no other that it could follow from. */
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

/** A habit that comes back brings its completions along. */
const isOfMadeHabit = ({ table, key, before }: RowChange, { made }: Context): boolean =>
  table === "habit_completions" && !before && made.has(`habits/${key[0]}`);

function imagesOfRow(
  { table, before, after, key }: RowChange,
  { made, gone, uncompleted }: Context,
): [Image | undefined, Image | undefined] {
  if (!before) return [undefined, after && fieldsOfMade(table, after)];
  if (!after) return [fieldsOf(table, before), undefined];
  const [old, changed] = [before as Columns, after as Columns];
  // A category brings its members along when it comes back, and leaves them when it goes.
  const isByCategory =
    made.has(`categories/${changed.category_id}`) ||
    (changed.category_id == null && gone.has(`categories/${old.category_id}`));
  const names = changedColumns(table, old, changed).filter(
    (column) => !(column === "category_id" && isByCategory),
  );
  // Whether it rang since is told by the status that it was given with its time.
  if (table === "reminders" && names.includes("remind_at") && !names.includes("status")) names.push("status");
  // A completion is only another event, but what took one away or edited the rules may have merged some.
  const isEdit = names.some((name) => ruleColumns.includes(name));
  const events = table === "habits" && (isEdit || uncompleted.has(key[0] ?? ""));
  if (names.length === 0 && !events) return [undefined, undefined];
  return [
    { ...pick(old, names), ...(events && historyOf(before)) },
    { ...pick(changed, names), ...(events && historyOf(after)) },
  ];
}

const ruleColumns = ["frequency", "schedule", "grace_days"];

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
