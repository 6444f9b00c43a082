import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { categoryFields } from "../../../../../shared/contracts/category/fields.ts";
import { habitFields } from "../../../../../shared/contracts/habit/fields.ts";
import {
  type DeclaredFields,
  type Field,
  schemasOf,
} from "../../../../../shared/contracts/kernel/declared-fields.ts";
import { ClockTime } from "../../../../../shared/contracts/kernel/fields.ts";
import { isCalendarDate } from "../../../../../shared/contracts/kernel/text.ts";
import { todoFields } from "../../../../../shared/contracts/todo/fields.ts";
import { type Image, isSame } from "../../../../../shared/domain/action/image-fields.ts";
import { localTime } from "../../../../../shared/domain/day/day.ts";
import { rhythmOf } from "../../../../../shared/domain/habit/rhythm.ts";
import type { ResourceKind } from "../../../../../shared/domain/vocabulary.ts";
import { sayRepeat } from "../../../../queries/quick-add/say-repeat.ts";
import { rhythmInWords } from "../../kit/habit-words.ts";
import { rowOf } from "./changed-things.ts";
import type { Known, Word } from "./words.ts";

/** The label of a field, its columns, and its value in words; undefined for no value. */
type FieldWords = Readonly<{
  label: string;
  /** The field's name where no value follows, if it differs from the label. */
  noun?: string | undefined;
  columns: readonly string[];
  say(image: Image, known: Known): Word | undefined;
  /** A value that the description of a new thing leaves out. */
  untold?: unknown;
}>;

/** The words of a declared field, unless they are listed below. */
function wordsOf(name: string, field: Field): readonly FieldWords[] {
  const label = field.inLog ?? field.label?.toLowerCase();
  if (label === undefined) return [];
  const say = ({ [name]: value }: Image) => (value == null ? undefined : sayValue(field, value));
  return [{ label, noun: field.noun, columns: [name], say, untold: field.untold }];
}

const clockTimeCheck = Compile(ClockTime);

/** A caller's text is quoted; a word of Kept's own is not. */
function sayValue({ kind, unit, value: { enum: words } }: Field, value: unknown): Word | undefined {
  if (kind === "number" && typeof value === "number") return unit ? `${value} ${unit}` : String(value);
  if (kind === "flag") return value === true ? "yes" : "no";
  if (kind === "date" && typeof value === "string" && isCalendarDate(value)) return { date: value };
  if (kind === "time" && typeof value === "string" && clockTimeCheck.Check(value)) return value;
  return words?.find((word) => word === value) ?? { quoted: value };
}

/** Agents can send its name. */
const category: FieldWords = {
  label: "category",
  columns: ["category_id", "category", "new_category"],
  say({ category_id: id, new_category, category = new_category }, { names }) {
    if (category != null) return { quoted: category };
    const name = names.get(rowOf("category", id));
    if (name !== undefined) return { quoted: name };
    return typeof id === "number" ? `number ${id}` : undefined;
  },
};

/** The columns of the todo's reminder, which is a separate row. Agents send an instant or a wall time. */
const reminder: FieldWords = {
  label: "reminder",
  columns: ["remind_at", "wall_time"],
  say({ remind_at, wall_time }, { timeZone }) {
    const sent = wall_time ?? remind_at;
    if (sent == null) return undefined;
    const instant = typeof sent === "string" && !isWallTime(sent) ? Date.parse(sent) : Number.NaN;
    const wallTime = Number.isNaN(instant) ? sent : localTime(instant, timeZone);
    return typeof wallTime === "string" && isWallTime(wallTime) ? { wallTime } : { quoted: sent };
  },
};

const isWallTime = (text: string): boolean =>
  /^.{10}T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/.test(text) && isCalendarDate(text.slice(0, 10));

const { frequency, schedule } = schemasOf(habitFields, "shown");
const rulesCheck = Compile(Type.Object({ frequency, schedule }));

/** If the frequency was and stays `custom`, an image of changed columns has only the schedule. */
const rhythm: FieldWords = {
  label: "rhythm",
  columns: ["frequency", "schedule"],
  say({ frequency = "custom", schedule = null }) {
    const rules = { frequency, schedule };
    return rulesCheck.Check(rules) ? rhythmInWords(rhythmOf({ ...rules, grace_days: 0 })) : undefined;
  },
};

/** A rule in words; one without words, and other text of a caller, is quoted. */
const recurrence: FieldWords = {
  label: "repeating",
  noun: "repetition",
  columns: ["recurrence"],
  say({ recurrence: rule }) {
    if (typeof rule !== "string") return undefined;
    const words = sayRepeat(rule);
    return words === rule ? { quoted: rule } : words;
  },
};

const ownWords: Readonly<Record<string, FieldWords>> = {
  category_id: category,
  frequency: rhythm,
  recurrence,
};

/** Long texts come last. */
function inOrder(fields: DeclaredFields, ...further: readonly FieldWords[]): readonly FieldWords[] {
  const all = Object.entries(fields);
  const long = all.filter(([, { kind }]) => kind === "paragraph");
  const short = all.filter((field) => !long.includes(field));
  const words = ([name, field]: [string, Field]) => ownWords[name] ?? wordsOf(name, field);
  return [...short.flatMap(words), ...further, ...long.flatMap(words)];
}

const fieldsOfKind: Readonly<Record<ResourceKind, readonly FieldWords[]>> = {
  todo: inOrder(todoFields, reminder),
  habit: inOrder(habitFields),
  category: inOrder(categoryFields),
};

/** The nouns of columns, for those that changes mention. */
export const nounOfColumn: ReadonlyMap<string, string> = new Map(
  Object.values(fieldsOfKind)
    .flat()
    .flatMap(({ label, noun = label, columns }) => columns.map((column) => [column, noun] as const)),
);

/** The fields in an image or in arguments, such as `due Fri 20 Nov`, or `no context` for a cleared one. */
export function factsOfImage(kind: ResourceKind, image: Image, known: Known): readonly Word[][] {
  return fieldsOfKind[kind].flatMap(({ label, noun = label, columns, say, untold }) => {
    const kept = columns.filter((column) => Object.hasOwn(image, column) && image[column] !== untold);
    if (kept.length === 0) return [];
    const value = say(image, known);
    if (value !== undefined) return [[`${label} `, value]];
    return kept.every((column) => image[column] === null) ? [[`no ${noun}`]] : [];
  });
}

/** The fields that changed, such as `due Fri 20 Nov → Mon 23 Nov`. */
export function changesBetween(
  kind: ResourceKind,
  { before, after }: Readonly<{ before: Image; after: Image }>,
  known: Known,
): readonly Word[][] {
  return fieldsOfKind[kind].flatMap(({ label, columns, say }) => {
    if (!columns.some((column) => Object.hasOwn(before, column) || Object.hasOwn(after, column))) return [];
    const [old, made] = [say(before, known) ?? "none", say(after, known) ?? "none"];
    return isSame(old, made) ? [] : [[`${label} `, old, " → ", made]];
  });
}
