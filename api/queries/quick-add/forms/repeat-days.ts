import {
  type FoundWords,
  type LineWord,
  listOf,
  months,
  numberAt,
  ordinalAt,
  partsBehindDay,
  type Reader,
  skip,
  weekdays,
  wordOf,
} from "../../../../shared/domain/todo/quick-add-words.ts";
import type { TimeOfDay } from "../../../../shared/domain/vocabulary.ts";
import { dayCode, type Repeat, workdays } from "./rule.ts";

/** A repetition as words say it, and others that the same words may say. One in doubt is only asked about. */
export type Read = Repeat & Readonly<{ timeOfDay?: TimeOfDay; or?: readonly Repeat[]; isDoubted?: boolean }>;

export const dayGroups = new Map<string, readonly number[]>([
  ...["weekday", "weekdays", "workday", "workdays"].map((name) => [name, workdays] as const),
  ...["weeknight", "weeknights"].map((name) => [name, workdays] as const),
  ...["weekend", "weekends"].map((name) => [name, [6, 7]] as const),
]);

/** `mon`, `mon-fri`, `Monday to Thursday` or `weekends`. */
const weekdayGroup: Reader<readonly number[]> = (words, at) => {
  const [from, to] = (words[at]?.text ?? "").split(/[-–]/).map((name) => weekdays.get(name));
  if (from && to) return [daysFrom(from, to), at + 1];
  const first = wordOf(weekdays)(words, at);
  const upTo = first && skip(words, first[1], "to", "through", "thru", "-", "–");
  const last = upTo && upTo > first[1] ? wordOf(weekdays)(words, upTo) : undefined;
  if (first && last) return [daysFrom(first[0], last[0]), last[1]];
  return first ? [[first[0]], first[1]] : wordOf(dayGroups)(words, at);
};

/** `Mon, Wed and Fri`, `mon wed fri`, `mon-fri`, `weekdays and Sat`. */
export const weekdayList: Reader<readonly number[]> = (words, at) => {
  const found = listOf(weekdayGroup, true)(words, at);
  return found && [[...new Set(found[0].flat())], found[1]];
};

const daysFrom = (first: number, last: number): readonly number[] =>
  Array.from({ length: ((last - first + 7) % 7) + 1 }, (_, days) => ((first + days - 1) % 7) + 1);

/** `Mon, Wed and Fri`, `other Friday`, `2 Fridays`, `weekday`, `Monday morning`. */
export const weekdaysAt: Reader<Read> = (words, at) => {
  const isOther = /^(other|alternate)$/.test(words[at]?.text ?? "");
  const [interval, first] = isOther ? [2, at + 1] : (numberAt(words, at) ?? [1, at]);
  const found = weekdayList(words, first);
  if (!found || interval < 1) return undefined;
  const [days, next] = found;
  const repeat = { freq: "WEEKLY", interval, days: days.map(dayCode) } as const;
  const name = words[first]?.text ?? "";
  // Every other weekday is hardly a week of five days and a week of none.
  const isDoubted = interval > 1 && /^(week|work)day/.test(name);
  if (isDoubted) return [{ freq: "DAILY", interval, or: [{ ...repeat, interval: 1 }], isDoubted }, next];
  const evening = /^weeknight/.test(name) && ({ timeOfDay: "evening" } as const);
  return withPart({ ...repeat, ...evening }, words, next);
};

export function withPart(repeat: Read, words: readonly LineWord[], next: number): FoundWords<Read> {
  const part = wordOf(partsBehindDay)(words, next);
  return part ? [{ ...repeat, timeOfDay: part[0] }, part[1]] : [repeat, next];
}

/** `last Friday`, `1st workday`, `1st and 15th`, `last day`, each with or without `of the month`; `end of the month`. */
export const daysOfMonth: Reader<Read> = (words, at) => {
  const found = daysWithoutMonth(words, at);
  if (found) return [found[0], ofMonth(words, found[1])];
  const end = skip(words, skip(words, at, "the"), "end");
  const next = ofMonth(words, end);
  return next > end && words[end - 1]?.text === "end"
    ? [{ freq: "MONTHLY", monthDays: [-1] }, next]
    : undefined;
};

const daysWithoutMonth: Reader<Read> = (words, at) => {
  const first = skip(words, at, "the");
  const positions = listOf(ordinalAt)(words, first);
  const workday = positions && workdayAt(words, positions[1]);
  if (positions && workday) {
    const days = workdays.map(dayCode);
    return [{ freq: "MONTHLY", days, positions: positions[0] }, workday];
  }
  const numbered = listOf(numberedWeekday)(words, first);
  if (numbered) return [{ freq: "MONTHLY", days: numbered[0].flat() }, numbered[1]];
  const found = listOf(dayOfMonth)(words, first);
  // Months without a 31st may mean their last day.
  const or: readonly Repeat[] = found?.[0].join() === "31" ? [{ freq: "MONTHLY", monthDays: [-1] }] : [];
  return found && [{ freq: "MONTHLY", monthDays: found[0], or }, found[1]];
};

/** The index after `workday` or `working day`. */
function workdayAt(words: readonly LineWord[], at: number): number | undefined {
  const [word = "", next] = words.slice(at, at + 2).map(({ text }) => text);
  if (/^(work|week|business)days?$/.test(word)) return at + 1;
  return /^(work|working|week|business) days?$/.test(`${word} ${next}`) ? at + 2 : undefined;
}

/** `2nd Thursday`, `2nd and 4th Thursday`. */
const numberedWeekday: Reader<readonly string[]> = (words, at) => {
  const positions = listOf(ordinalAt)(words, skip(words, at, "the"));
  const day = positions && wordOf(weekdays)(words, positions[1]);
  return day && [positions[0].map((position) => `${position}${dayCode(day[0])}`), day[1]];
};

/** The second Monday is one of the month, or every other. The word `second` suggests the latter, `2nd` the former. */
export function orEveryOther(read: Read, word: string | undefined): Read {
  const [day = "", ...others] = read.days ?? [];
  if (!day.startsWith("2") || others.length > 0) return read;
  const everyOther: Repeat = { freq: "WEEKLY", interval: 2, days: [day.slice(1)] };
  return word === "second" ? { ...everyOther, or: [read] } : { ...read, or: [everyOther] };
}

const dayOfMonth: Reader<number> = (words, at) => {
  const day = ordinalAt(words, skip(words, at, "the"));
  if (!day) return undefined;
  const next = skip(words, day[1], "day");
  return day[0] < 0 && next === day[1] ? undefined : [day[0], next];
};

export function ofMonth(words: readonly LineWord[], at: number): number {
  const of = skip(words, at, "of");
  const which = skip(words, of, "the", "each", "every");
  return which > at && words[which]?.text === "month" ? which + 1 : at;
}

/** `24 December`, `December 24th`, `15 Jan and 15 Jul`, `1 Mar, Jun`. */
export const datesOfYear: Reader<Read> = (words, at) => {
  const dates = listOf(dateOfYear, true)(words, at);
  if (!dates) return undefined;
  const [[first, ...others], next] = [dates[0], dates[1]];
  if (!first) return undefined;
  const isOneDay = others.every(({ monthDays }) => monthDays.join() === first.monthDays.join());
  const months = [first, ...others].flatMap((one) => one.months);
  return [isOneDay ? { ...first, months } : { ...first, or: others, isDoubted: true }, next];
};

type DateOfYear = Repeat & Readonly<{ months: readonly number[]; monthDays: readonly number[] }>;

const dateOfYear: Reader<DateOfYear> = (words, at) => {
  const dayFirst = dayNumberAt(words, at);
  const monthsAfter = dayFirst && listOf(wordOf(months))(words, skip(words, dayFirst[1], "of"));
  if (monthsAfter)
    return [{ freq: "YEARLY", months: monthsAfter[0], monthDays: [dayFirst[0]] }, monthsAfter[1]];
  const monthsFirst = listOf(wordOf(months))(words, at);
  const dayAfter = monthsFirst && dayNumberAt(words, skip(words, monthsFirst[1], "the"));
  return dayAfter && [{ freq: "YEARLY", months: monthsFirst[0], monthDays: [dayAfter[0]] }, dayAfter[1]];
};

/** `every January` names no day. */
export const monthAlone: Reader<Read> = (words, at) => {
  const found = listOf(wordOf(months))(words, at);
  return found && [{ freq: "YEARLY", months: found[0], monthDays: [1], isDoubted: true }, found[1]];
};

const dayNumberAt: Reader<number> = (words, at) => {
  const day = ordinalAt(words, at) ?? numberAt(words, at);
  return day && day[0] >= 1 && day[0] <= 31 ? day : undefined;
};
