import {
  type FoundWords,
  type LineWord,
  listOf,
  months,
  numberAt,
  ordinalAt,
  partsOfDay,
  type Reader,
  skip,
  weekdays,
  wordOf,
} from "../../../../shared/domain/todo/quick-add-words.ts";
import type { TimeOfDay } from "../../../../shared/domain/vocabulary.ts";
import { dayCode, type Repeat } from "./repeat-rule.ts";

/** A repetition as words say it, and others that the same words may say. */
export type Read = Repeat & Readonly<{ timeOfDay?: TimeOfDay; or?: readonly Repeat[] }>;

const workdays = [1, 2, 3, 4, 5];
export const dayGroups = new Map<string, readonly number[]>([
  ...["weekday", "weekdays", "workday", "workdays"].map((name) => [name, workdays] as const),
  ...["weekend", "weekends"].map((name) => [name, [6, 7]] as const),
]);

/** `Mon, Wed and Fri`, `mon wed fri`, `mon-fri`, `Monday to Thursday`. */
export const weekdayList: Reader<readonly number[]> = (words, at) => {
  const [from, to] = (words[at]?.text ?? "").split(/[-–]/).map((name) => weekdays.get(name));
  if (from && to) return [daysFrom(from, to), at + 1];
  const first = wordOf(weekdays)(words, at);
  const upTo = first && skip(words, first[1], "to", "through", "-", "–");
  const last = upTo && upTo > first[1] ? wordOf(weekdays)(words, upTo) : undefined;
  return first && last ? [daysFrom(first[0], last[0]), last[1]] : listOf(wordOf(weekdays), true)(words, at);
};

const daysFrom = (first: number, last: number): readonly number[] =>
  Array.from({ length: ((last - first + 7) % 7) + 1 }, (_, days) => ((first + days - 1) % 7) + 1);

/** `Mon, Wed and Fri`, `other Friday`, `weekday`, `Monday morning`. */
export const weekdaysAt: Reader<Read> = (words, at) => {
  const isOther = words[at]?.text === "other";
  const first = isOther ? at + 1 : at;
  const found = wordOf(dayGroups)(words, first) ?? weekdayList(words, first);
  if (!found) return undefined;
  const [days, next] = found;
  const repeat = { freq: "WEEKLY", interval: isOther ? 2 : 1, days: days.map(dayCode) } as const;
  return withPart(repeat, words, next);
};

export function withPart(repeat: Read, words: readonly LineWord[], next: number): FoundWords<Read> {
  const part = wordOf(partsOfDay)(words, next);
  return part ? [{ ...repeat, timeOfDay: part[0] }, part[1]] : [repeat, next];
}

/** `last Friday`, `1st workday`, `1st and 15th`, `last day`, each with or without `of the month`. */
export const daysOfMonth: Reader<Read> = (words, at) => {
  const found = daysWithoutMonth(words, at);
  return found && [found[0], ofMonth(words, found[1])];
};

/** The same before `of every month`, which makes them a repetition. */
export const daysOfEveryMonth: Reader<Read> = (words, at) => {
  const isEnd = words[skip(words, at, "the")]?.text === "end";
  const end = skip(words, at, "the") + 1;
  const found = isEnd ? ([{ freq: "MONTHLY", monthDays: [-1] }, end] as const) : daysWithoutMonth(words, at);
  const which = found && skip(words, skip(words, found[1], "of"), "every", "each");
  if (!found || which === undefined || words[which - 1]?.text.startsWith("e") === false) return undefined;
  return words[which]?.text === "month" ? [found[0], which + 1] : undefined;
};

const daysWithoutMonth: Reader<Read> = (words, at) => {
  const first = skip(words, at, "the");
  const position = ordinalAt(words, first);
  const weekday = position && wordOf(weekdays)(words, position[1]);
  if (position && weekday)
    return [nthWeekday(words[first]?.text, position[0], dayCode(weekday[0])), weekday[1]];
  if (position && /^(work|week|business)days?$/.test(words[position[1]]?.text ?? ""))
    return [{ freq: "MONTHLY", days: workdays.map(dayCode), position: position[0] }, position[1] + 1];
  const days = listOf(dayOfMonth)(words, first);
  return days && [{ freq: "MONTHLY", monthDays: days[0] }, days[1]];
};

/** The second Monday is one of the month, or every other. The word `second` suggests the latter, `2nd` the former. */
function nthWeekday(word: string | undefined, position: number, day: string): Read {
  const ofTheMonth: Repeat = { freq: "MONTHLY", days: [`${position}${day}`] };
  const everyOther: Repeat = { freq: "WEEKLY", interval: 2, days: [day] };
  if (position !== 2) return ofTheMonth;
  return word === "second" ? { ...everyOther, or: [ofTheMonth] } : { ...ofTheMonth, or: [everyOther] };
}

const dayOfMonth: Reader<number> = (words, at) => {
  const day = ordinalAt(words, skip(words, at, "the"));
  if (!day) return undefined;
  const next = skip(words, day[1], "day");
  return day[0] === -1 && next === day[1] ? undefined : [day[0], next];
};

export function ofMonth(words: readonly LineWord[], at: number): number {
  const of = skip(words, at, "of");
  const which = skip(words, of, "the", "each", "every");
  return which > of && words[which]?.text === "month" ? which + 1 : at;
}

/** `24 December`, `December 24th`. */
export const dayOfYear: Reader<Read> = (words, at) => {
  const month = wordOf(months);
  const dayFirst = dayNumberAt(words, at);
  const monthAfter = dayFirst && month(words, skip(words, dayFirst[1], "of"));
  if (monthAfter) return [{ freq: "YEARLY", month: monthAfter[0], monthDays: [dayFirst[0]] }, monthAfter[1]];
  const monthFirst = month(words, at);
  const dayAfter = monthFirst && dayNumberAt(words, skip(words, monthFirst[1], "the"));
  return dayAfter && [{ freq: "YEARLY", month: monthFirst[0], monthDays: [dayAfter[0]] }, dayAfter[1]];
};

const dayNumberAt: Reader<number> = (words, at) => {
  const day = ordinalAt(words, at) ?? numberAt(words, at);
  return day && day[0] >= 1 && day[0] <= 31 ? day : undefined;
};
