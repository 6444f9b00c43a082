import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { HabitHistory } from "../habit/history.ts";
import type { Rules, Schedule } from "../habit/rhythm.ts";
import { type ResourceKind, tableOf } from "../vocabulary.ts";
import type { Cut } from "./cut-arguments.ts";
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

export type RowChange = RowName & Readonly<{ before: Columns | undefined; after: Columns | undefined }>;

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
  { table, before: old, after: changed }: RowChange,
  { made, gone }: Context,
): [Image | undefined, Image | undefined] {
  if (!old) return [undefined, changed && fieldsOfMade(table, changed)];
  if (!changed) return [fieldsOf(table, old), undefined];
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

/** Bytes of images (UTF-8) stored in a row of the action log, for `before` and `after` each. */
const keptOfImages = 4_096;
/** The longest text that a cut image still has, in UTF-16 units. */
const longestText = 200;

/** The things of omitted rows, such as `todos/5`, so that their traces can be deleted. */
type CutImages = Cut & Readonly<{ others?: readonly string[] }>;

/**
 * Images that fit into a row: the JSON text itself, else that of an array of shortened images and the `Cut`. Texts
 * are shortened first, then rows are dropped from the end.
 */
export function cutImages(images: Images, json: string): string {
  const bytes = Buffer.byteLength(json);
  if (bytes <= keptOfImages) return json;
  const cut: CutImages = { bytes, sha256: createHash("sha256").update(json).digest("hex") };
  const rows = Object.entries(images).map(([name, image]) => [name, shortened(image)] as const);
  for (let count = rows.length; count > 0; count = Math.floor(count / 2)) {
    const others = thingsOf(rows.slice(count).map(([name]) => name));
    const kept = Object.fromEntries(rows.slice(0, count));
    const text = JSON.stringify([kept, { ...cut, ...(others.length > 0 && { others }) }]);
    if (Buffer.byteLength(text) <= keptOfImages) return text;
  }
  return JSON.stringify([{}, { ...cut, others: thingsOf(Object.keys(images)) }]);
}

const thingsOf = (rowNames: readonly string[]): readonly string[] => [
  ...new Set(rowNames.map((name) => name.split("/").slice(0, 2).join("/"))),
];

const shortened = (image: Image): Image =>
  Object.fromEntries(
    Object.entries(image).flatMap(([field, value]) => {
      if (typeof value !== "string" || value.length <= longestText)
        return JSON.stringify(value ?? null).length <= longestText ? [[field, value]] : [];
      return [[field, `${value.slice(0, longestText).toWellFormed()}…`]];
    }),
  );

/** @returns the first rows whose images are no longer than that in all; at least one */
export function withinLength<
  Row extends Readonly<{ before?: string | null | undefined; after?: string | null | undefined }>,
>(rows: readonly Row[], most: number): readonly Row[] {
  let length = 0;
  const end = rows.findIndex(({ before, after }, index) => {
    length += lengthOfStored(before) + lengthOfStored(after);
    return index > 0 && length > most;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

/** @returns the greatest length of the images (UTF-16 units), also of a row with only a cut of them */
function lengthOfStored(stored: string | null | undefined): number {
  const { cut } = readImages(stored);
  return cut?.bytes ?? lengthWithTexts(stored ?? "");
}

export function readImages(stored: string | null | undefined): Readonly<{ images: Images; cut?: CutImages }> {
  if (stored == null) return { images: {} };
  const value = parseWithTexts(stored) as Images | [Images, CutImages];
  return Array.isArray(value) ? { images: value[0], cut: value[1] } : { images: value as Images };
}

/** Shorter JSON has no text worth sharing. */
const shortestJson = 4_096;
/** Longer than any name, because traces are found by names in stored JSON (UTF-16 units). */
const shortestText = 512;

/** A placeholder for a text beside the value. No field of a resource has this name. */
type Reference = Readonly<{ $text: number }>;
/** The texts, and the length of the JSON with all of them in it. */
type Texts = Readonly<{ texts: readonly string[]; length: number }>;

/**
 * @param json the JSON of `value`
 * @returns the same in fewer bytes if a long text occurs more than once: `[value with references, texts]`
 */
export function shareTexts(value: object, json: string): string {
  if (json.length < shortestJson) return json;
  const seen = new Set<string>();
  const places = new Map<string, number>();
  const note = (text: string) => {
    if (seen.has(text) && !places.has(text)) places.set(text, places.size);
    seen.add(text);
  };
  JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === "string" && part.length >= shortestText) note(part);
    return part;
  });
  if (places.size === 0) return json;
  const shared = JSON.stringify(value, (_, part: unknown) => {
    const place = typeof part === "string" ? places.get(part) : undefined;
    return place === undefined ? part : ({ $text: place } satisfies Reference);
  });
  return `[${shared},${JSON.stringify({ texts: [...places.keys()], length: json.length } satisfies Texts)}]`;
}

/** Parses stored JSON and puts shared texts back. The JSON of the result equals the original to the byte. */
export function parseWithTexts(json: string): unknown {
  const parsed: unknown = JSON.parse(json);
  if (!Array.isArray(parsed)) return parsed;
  const [value, beside]: readonly unknown[] = parsed;
  return hasTexts(beside) ? resolve(value, beside.texts) : parsed;
}

/** @returns the length of stored JSON with all texts in it, without parsing */
export const lengthWithTexts = (stored: string): number =>
  Number(/\],"length":(\d+)\}\]$/.exec(stored.slice(-50))?.[1] ?? stored.length);

const hasTexts = (beside: unknown): beside is Texts =>
  typeof beside === "object" && beside !== null && "texts" in beside;

function resolve(value: unknown, texts: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((one) => resolve(one, texts));
  if (typeof value !== "object" || value === null) return value;
  if ("$text" in value) return texts[Number(value.$text)];
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, resolve(part, texts)]));
}
