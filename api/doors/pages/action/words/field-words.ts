import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { categoryFields } from "../../../../../shared/contracts/category/fields.ts";
import { habitFields } from "../../../../../shared/contracts/habit/fields.ts";
import {
  type DeclaredFields,
  type Field,
  schemasOf,
} from "../../../../../shared/contracts/kernel/declared-fields.ts";
import { isCalendarDate } from "../../../../../shared/contracts/kernel/text.ts";
import { todoFields } from "../../../../../shared/contracts/todo/fields.ts";
import { type Image, isSame } from "../../../../../shared/domain/action/image-fields.ts";
import { localTime } from "../../../../../shared/domain/day/day.ts";
import { rhythmOf } from "../../../../../shared/domain/habit/rhythm.ts";
import type { ResourceKind } from "../../../../../shared/domain/vocabulary.ts";
import type { ThingNames } from "../../../../queries/action/names.ts";
import { rhythmInWords } from "../../kit/rhythm.ts";
import type { Word } from "./words.ts";

export type Telling = Readonly<{ names: ThingNames; timeZone: string }>;

/** What people call a field, the columns it is made of, and its value in words; undefined where it has none. */
type FieldWords = Readonly<{
  label: string;
  /** What it is called where no value follows, if that is something else. */
  noun?: string | undefined;
  columns: readonly string[];
  say(image: Image, telling: Telling): Word | undefined;
  /** A value that the description of a new thing leaves out. */
  untold?: unknown;
}>;

/** The words of a declared field, if it is not told in words of its own. */
function wordsOf(name: string, field: Field): readonly FieldWords[] {
  const label = field.told ?? field.label?.toLowerCase();
  if (label === undefined) return [];
  const say = ({ [name]: value }: Image) => (value == null ? undefined : sayValue(field, value));
  return [{ label, noun: field.noun, columns: [name], say, untold: field.untold }];
}

/** A text that is not one of our own is quoted. */
function sayValue({ kind, unit, value: { enum: words } }: Field, value: unknown): Word | undefined {
  if (kind === "number") return typeof value === "number" ? joined(value, unit) : undefined;
  if (kind === "date" && typeof value === "string" && isCalendarDate(value)) return { date: value };
  return words?.find((word) => word === value) ?? { quoted: value };
}

const joined = (value: number, unit: string | undefined): string =>
  unit === undefined ? String(value) : `${value} ${unit}`;

const category: FieldWords = {
  label: "category",
  columns: ["category_id"],
  say({ category_id: id }, { names }) {
    if (typeof id !== "number") return undefined;
    const name = names.categories.get(id);
    return name === undefined ? `number ${id}` : { quoted: name };
  },
};

/** The columns of the todo's own reminder, which is a row of its own. */
const reminder: FieldWords = {
  label: "reminder",
  columns: ["remind_at", "wall_time"],
  say({ remind_at, wall_time }, { timeZone }) {
    if (typeof wall_time === "string") return isWallTime(wall_time) ? { wallTime: wall_time } : undefined;
    if (typeof remind_at !== "string" || Number.isNaN(Date.parse(remind_at))) return undefined;
    return { wallTime: localTime(Date.parse(remind_at), timeZone) };
  },
};

const isWallTime = (value: string): boolean =>
  /^.{10}T([01]\d|2[0-3]):[0-5]\d/.test(value) && isCalendarDate(value.slice(0, 10));

const { frequency, schedule } = schemasOf(habitFields, "shown");
const rulesCheck = Compile(Type.Object({ frequency, schedule }));

/** An image of changed columns has the schedule alone where the frequency was and stays `custom`. */
const rhythm: FieldWords = {
  label: "rhythm",
  columns: ["frequency", "schedule"],
  say({ frequency = "custom", schedule = null }) {
    const rules = { frequency, schedule };
    return rulesCheck.Check(rules) ? rhythmInWords(rhythmOf({ ...rules, grace_days: 0 })) : undefined;
  },
};

const ownWords: Readonly<Record<string, FieldWords>> = { category_id: category, frequency: rhythm };

/** The first is the name, which the sentence about a new thing has already. Long texts come last. */
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

/** What people call a column of images, by its name, where it is one that is told. */
export const nounOfColumn: ReadonlyMap<string, string> = new Map(
  Object.values(fieldsOfKind)
    .flat()
    .flatMap(({ label, noun = label, columns }) => columns.map((column) => [column, noun] as const)),
);

/** What is to be said of a thing as a whole, such as `due Fri 20 Nov`. */
export function factsOfImage(kind: ResourceKind, image: Image, telling: Telling): readonly Word[][] {
  const [, ...fields] = fieldsOfKind[kind];
  return fields.flatMap(({ label, columns, say, untold }) => {
    const isTold = columns.some((column) => Object.hasOwn(image, column) && image[column] !== untold);
    const value = isTold ? say(image, telling) : undefined;
    return value === undefined ? [] : [[`${label} `, value]];
  });
}

/** What changed, such as `due Fri 20 Nov → Mon 23 Nov`. */
export function changesBetween(
  kind: ResourceKind,
  { before, after }: Readonly<{ before: Image; after: Image }>,
  telling: Telling,
): readonly Word[][] {
  return fieldsOfKind[kind].flatMap(({ label, columns, say }) => {
    if (!columns.some((column) => Object.hasOwn(before, column) || Object.hasOwn(after, column))) return [];
    const [old, made] = [say(before, telling) ?? "none", say(after, telling) ?? "none"];
    return isSame(old, made) ? [] : [[`${label} `, old, " → ", made]];
  });
}
