import type { ColumnsOf } from "../../../../shared/contracts/kernel/declared-fields.ts";
import type { todoTags } from "../../../../shared/contracts/todo/fields.ts";
import { addDays, dayNumber, isoWeekday, localTime, weekStart } from "../../../../shared/domain/day/day.ts";
import type { Rules, Schedule } from "../../../../shared/domain/habit/rhythm.ts";
import { months, numbers } from "../../../../shared/domain/todo/quick-add-words.ts";
import type { TimeOfDay } from "../../../../shared/domain/vocabulary.ts";

type PlainDate = Temporal.PlainDate;

const plain = (date: string): PlainDate => Temporal.PlainDate.from(date);

export const nextMonday = (today: string): string =>
  addDays(today, weekStart(dayNumber(today)) + 7 - dayNumber(today));

/** The next day after today that is this weekday; 1 is Monday. */
export const comingDay = (weekday: number, today: string): string =>
  addDays(today, ((weekday - isoWeekday(dayNumber(today)) + 6) % 7) + 1);

export const later = (date: string, span: Temporal.DurationLike): string => plain(date).add(span).toString();

/** A day of the month that is so many months ahead; a month without the 31st gives its last day. */
export const dayInMonth = (today: string, monthsAhead: number, day: number): string =>
  plain(today).with({ day: 1 }).add({ months: monthsAhead }).with({ day }).toString();

type Written = Readonly<{ day: number; month?: string | undefined; year?: string | undefined }>;

/** The next day of that number and month, from today on; undefined if eight years have none. */
export function nextDate({ day, month, year }: Written, today: string): string | undefined {
  const monthNumber = month && (months.get(month.toLowerCase()) ?? Number(month));
  const from = plain(today);
  if (monthNumber && year) return dateIn(Number(year.padStart(4, "20")), monthNumber, day);
  const candidates = monthNumber
    ? [0, 1, 2, 3, 4, 5, 6, 7, 8].map((ahead) => dateIn(from.year + ahead, monthNumber, day))
    : [0, 1, 2].map((ahead) => {
        const within = from.with({ day: 1 }).add({ months: ahead });
        return dateIn(within.year, within.month, day);
      });
  return candidates.find((date) => date !== undefined && date >= today);
}

function dateIn(year: number, month: number, day: number): string | undefined {
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > 31) return undefined;
  const date = Temporal.PlainDate.from({ year, month, day });
  return date.day === day ? date.toString() : undefined;
}

/** The time and the user's day for reading a line. */
export type Clock = Readonly<{
  /** Epoch ms. */
  now: number;
  timeZone: string;
  /** The user's day, which may begin hours after midnight. */
  today: string;
}>;

/** The wall time, `2026-11-21T09:00:00`. */
export const wallTime = ({ now, timeZone }: Clock): string => localTime(now, timeZone);

/** A time on a clock. It is open if it does not name the half of the day, as `at 5` does. */
export type Hour = Readonly<{ hour: number; minute: number; isOpen?: boolean; zone?: string | undefined }>;

export type RhythmFields = Pick<Rules, "frequency"> & Readonly<{ schedule: Schedule | null }>;

/** The fields that the words of a line set. */
export type Said = Readonly<{
  date?: string | undefined;
  hour?: Hour;
  minutes?: number;
  part?: TimeOfDay | undefined;
  /** A normalised rule. */
  rule?: string | undefined;
  fromCompletion?: true;
  /** A number of times in each week, which only a habit has. */
  rhythm?: RhythmFields;
  until?: string | undefined;
  /** The time that a repetition lasts. */
  lasts?: Temporal.DurationLike;
  count?: number;
  category?: string;
  isImportant?: true;
  remindHour?: Hour;
  /** Minutes from the reminder to the due time. */
  remindBefore?: number;
  asksReminder?: true;
}> &
  Readonly<Partial<ColumnsOf<typeof todoTags>>>;

/**
 * The position at which words are a phrase. A whole phrase (`on Friday`) counts at both ends of a line and before
 * joining words, a mark (`#Home`) anywhere, a bare one (`Friday`) at the end, and one `beside` others only next to
 * them. An offered phrase is only asked about.
 */
type Manner = "whole" | "mark" | "bare" | "beside" | "offered";

export type Reading = Readonly<{
  says: Said;
  manner: Manner;
  or?: readonly Said[];
  /** True for a phrase that becomes a question when it is not taken. */
  isAsked?: boolean;
  /** True for words that stay in the title even when they count, such as `weekly` in `weekly report`. */
  stays?: boolean;
}>;

export type LinePhrase = Reading & Readonly<{ start: number; end: number }>;

/** A form of words and its meaning; undefined for a chance match. */
export type Recogniser = Readonly<{
  pattern: RegExp;
  read(found: RegExpExecArray, clock: Clock): Reading | undefined;
}>;

/** A pattern of whole words outside numbers, names, amounts and addresses. */
export const wordsLike = (source: string): RegExp =>
  new RegExp(
    `(?<![\\p{L}\\p{N}_$€£/#@+~-]|[\\p{L}\\p{N}][.:'’])(?:${source})(?![\\p{L}\\p{N}_%]|[-–'’/:.][\\p{L}\\p{N}])`,
    "giu",
  );

/** Longest names first, because the first match wins. */
export const wordChoice = (names: Iterable<string>): string =>
  Array.from(names)
    .toSorted((one, other) => other.length - one.length)
    .join("|");

export const recognise = (
  recognisers: readonly Recogniser[],
  line: string,
  clock: Clock,
): readonly LinePhrase[] =>
  recognisers.flatMap(({ pattern, read }) =>
    Array.from(line.matchAll(pattern)).flatMap((found) => {
      const reading = read(found, clock);
      return reading ? [{ ...reading, start: found.index, end: found.index + found[0].length }] : [];
    }),
  );

type WrittenTime = Readonly<{
  hour: string | undefined;
  minute?: string | undefined;
  /** `a` or `p` */
  half?: string | undefined;
  zone?: string | undefined;
}>;

/** The time that digits write; undefined if no clock shows it. */
export function hourOf({ hour: written = "", minute = "0", half, zone }: WrittenTime): Hour | undefined {
  const [hour, inMinutes] = [Number(written), Number(minute)];
  if (written === "" || hour > 23 || inMinutes > 59 || (half && (hour < 1 || hour > 12))) return undefined;
  if (half) return { hour: (hour % 12) + (/p/i.test(half) ? 12 : 0), minute: inMinutes, zone };
  const isOpen = hour >= 1 && hour <= 12 && !written.startsWith("0");
  return { hour, minute: inMinutes, isOpen, zone };
}

/** Words that tell the half of the day of an open hour. */
const early = /\b(wake|waking|get up|getting up|breakfast|sunrise|morning)\b/i;
const late = /\b(dinner|supper|drinks|party|cinema|concert|movie|theat(er|re)|evening|night)\b/i;

/**
 * The possible hours, the likely one first. The line or the part of the day may tell the half of an open hour. Else
 * 1 to 4 are in the afternoon, 9 to 12 in the morning, and 5 to 8 are asked.
 */
export function hoursMeant(hour: Hour, part: TimeOfDay | undefined, line: string): readonly Hour[] {
  const second = { ...hour, hour: hour.hour + 12, isOpen: false };
  const first = { ...hour, isOpen: false };
  if (!hour.isOpen || hour.hour === 12) return [first];
  if (part !== undefined) return part === "morning" ? [first] : [second];
  if (early.test(line) || late.test(line)) return early.test(line) ? [first] : [second];
  if (hour.hour < 5 || hour.hour > 8) return hour.hour < 5 ? [second] : [first];
  return hour.hour < 7 ? [second, first] : [first, second];
}

export const sayHour = ({ hour, minute }: Hour): string =>
  `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;

/** Minutes from one time to the next occurrence of the other. */
export function minutesBetween(from: Hour, to: Hour): number {
  const most = from.isOpen || to.isOpen ? 12 * 60 : 24 * 60;
  const passed = 60 * (to.hour - from.hour) + to.minute - from.minute;
  return ((passed % most) + most) % most;
}

const units: Readonly<Record<string, "days" | "weeks" | "months" | "years" | undefined>> = {
  d: "days",
  w: "weeks",
  m: "months",
  y: "years",
};

/** The pattern of `3 days`, `a week` and `2w`, with its groups `many` and `unit`. */
export const amount = `(?<many>\\d{1,4}|an?|a couple of|${wordChoice(numbers.keys())})(?: (?<unit>day|week|wk|fortnight|month|year)s?|(?<=\\d)(?<unit>[dwy]))`;

/** A number in digits or words; `a` is one. */
export const numberSaid = (many = ""): number =>
  /^\d+$/.test(many) ? Number(many) : /^an?$/i.test(many) ? 1 : (numbers.get(many.toLowerCase()) ?? 2);

export const spanOf = (many: string | undefined, unit = "d"): Temporal.DurationLike => {
  if (/^f/i.test(unit)) return { weeks: 2 * numberSaid(many) };
  return { [units[unit.slice(0, 1).toLowerCase()] ?? "days"]: numberSaid(many) };
};
