import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { Habit } from "../../../shared/contracts/habit-schema.ts";
import { isCalendarDate } from "../../../shared/contracts/text.ts";
import { localTime } from "../../../shared/domain/day.ts";
import { type Image, isSame } from "../../../shared/domain/image-fields.ts";
import { rhythmOf } from "../../../shared/domain/rhythm.ts";
import {
  habitTypes,
  type ResourceKind,
  recurrenceStarts,
  timesOfDay,
} from "../../../shared/domain/vocabulary.ts";
import type { ThingNames } from "../../queries/names.ts";
import { rhythmInWords } from "../today/rhythm.ts";
import type { Word } from "./words.ts";

export type Telling = Readonly<{ names: ThingNames; timeZone: string }>;

/** What people call a field, the columns it is made of, and its value in words; undefined where it has none. */
type Field = Readonly<{
  label: string;
  /** What it is called where no value follows, if that is something else. */
  noun?: string;
  columns: readonly string[];
  say(image: Image, telling: Telling): Word | undefined;
  /** What goes without saying of a new thing. */
  usual?: unknown;
}>;

const text = (label: string, column: string): Field => ({
  label,
  columns: [column],
  say: ({ [column]: value }) => (value == null ? undefined : { quoted: value }),
});

const date = (label: string, column: string): Field => ({
  label,
  columns: [column],
  say: ({ [column]: value }) => {
    if (value == null) return undefined;
    return typeof value === "string" && isCalendarDate(value) ? { date: value } : { quoted: value };
  },
});

/** Words of ours; another one is quoted. */
const choice = (label: string, column: string, words: readonly string[], usual?: string): Field => ({
  label,
  columns: [column],
  say: ({ [column]: value }) =>
    value == null ? undefined : (words.find((word) => word === value) ?? { quoted: value }),
  usual,
});

const category: Field = {
  label: "category",
  columns: ["category_id"],
  say({ category_id: id }, { names }) {
    if (typeof id !== "number") return undefined;
    const name = names.categories.get(id);
    return name === undefined ? `number ${id}` : { quoted: name };
  },
};

const minutes: Field = {
  label: "duration",
  columns: ["estimated_minutes"],
  say: ({ estimated_minutes: value }) => (typeof value === "number" ? `${value} min` : undefined),
};

/** The columns of the todo's own reminder, which is a row of its own. */
const reminder: Field = {
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

const { frequency, schedule } = Habit.properties;
const rulesCheck = Compile(Type.Object({ frequency, schedule }));

/** An image of changed columns has the schedule alone where the frequency was and stays `custom`. */
const rhythm: Field = {
  label: "rhythm",
  columns: ["frequency", "schedule"],
  say({ frequency = "custom", schedule = null }) {
    const rules = { frequency, schedule };
    return rulesCheck.Check(rules) ? rhythmInWords(rhythmOf({ ...rules, grace_days: 0 })) : undefined;
  },
};

const graceDays: Field = {
  label: "grace days",
  columns: ["grace_days"],
  say: ({ grace_days: value }) => (typeof value === "number" ? String(value) : undefined),
  usual: 0,
};

/** In the order in which they are told. The first is the name, which the sentence about a new thing has already. */
const fieldsOfKind: Readonly<Record<ResourceKind, readonly Field[]>> = {
  todo: [
    text("title", "title"),
    { ...date("due", "due_date"), noun: "due date" },
    choice("time of day", "time_of_day", timesOfDay),
    minutes,
    text("context", "context"),
    category,
    { ...text("repeating by", "recurrence"), noun: "repetition" },
    { ...choice("repeating from", "recurrence_from", recurrenceStarts, "due"), noun: "repetition" },
    reminder,
    text("description", "description"),
  ],
  habit: [
    text("name", "name"),
    choice("type", "type", habitTypes, "good"),
    rhythm,
    choice("time of day", "time_of_day", timesOfDay),
    category,
    graceDays,
    text("description", "description"),
  ],
  category: [text("name", "name"), text("colour", "color"), text("icon", "icon")],
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
  return fields.flatMap(({ label, columns, say, usual }) => {
    const isTold = columns.some((column) => Object.hasOwn(image, column) && image[column] !== usual);
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
