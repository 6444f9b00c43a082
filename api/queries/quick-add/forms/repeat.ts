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
  wordsOf,
} from "../../../../shared/domain/todo/quick-add-words.ts";
import { parseRecurrence } from "../../../../shared/domain/todo/recurrence.ts";
import type { TimeOfDay } from "../../../../shared/domain/vocabulary.ts";
import type { LinePhrase, Reading, Said } from "./phrase.ts";
import { dayCode, type Repeat, ruleOf } from "./rule.ts";

const weeks = (interval: number): Repeat => ({ freq: "WEEKLY", interval });

const adverbs = new Map<string, Repeat>([
  ["daily", { freq: "DAILY" }],
  ["weekly", { freq: "WEEKLY" }],
  ...["biweekly", "bi-weekly", "fortnightly"].map((name) => [name, weeks(2)] as const),
  ["monthly", { freq: "MONTHLY" }],
  ["quarterly", { freq: "MONTHLY", interval: 3 }],
  ...["yearly", "annually"].map((name) => [name, { freq: "YEARLY" }] as const),
]);

const units = new Map<string, Repeat>([
  ...["day", "days"].map((name) => [name, { freq: "DAILY" }] as const),
  ...["week", "weeks"].map((name) => [name, { freq: "WEEKLY" }] as const),
  ...["month", "months"].map((name) => [name, { freq: "MONTHLY" }] as const),
  ...["quarter", "quarters"].map((name) => [name, { freq: "MONTHLY", interval: 3 }] as const),
  ...["year", "years"].map((name) => [name, { freq: "YEARLY" }] as const),
]);

/** An adverb is a repetition at the end, or before words that begin no noun. */
const isAdverb = (next: LineWord | undefined): boolean =>
  next === undefined ||
  /^(on|at|in|from|until|till|starting|for|and|to|with|,|[#@].*|\d{1,2}(:\d\d|[ap]m).*)$/.test(next.text);

/** A repetition as words say it, and others that the same words may say. */
type Read = Repeat & Readonly<{ timeOfDay?: TimeOfDay; or?: readonly Repeat[] }>;

const workdays = [1, 2, 3, 4, 5];
const dayGroups = new Map<string, readonly number[]>([
  ...["weekday", "weekdays", "workday", "workdays"].map((name) => [name, workdays] as const),
  ...["weekend", "weekends"].map((name) => [name, [6, 7]] as const),
]);

/** `Mon, Wed and Fri`, `mon wed fri`, `mon-fri`, `Monday to Thursday`. */
const weekdayList: Reader<readonly number[]> = (words, at) => {
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
const weekdaysAt: Reader<Read> = (words, at) => {
  const isOther = words[at]?.text === "other";
  const first = isOther ? at + 1 : at;
  const found = wordOf(dayGroups)(words, first) ?? weekdayList(words, first);
  if (!found) return undefined;
  const [days, next] = found;
  const repeat = { freq: "WEEKLY", interval: isOther ? 2 : 1, days: days.map(dayCode) } as const;
  return withPart(repeat, words, next);
};

function withPart(repeat: Read, words: readonly LineWord[], next: number): FoundWords<Read> {
  const part = wordOf(partsOfDay)(words, next);
  return part ? [{ ...repeat, timeOfDay: part[0] }, part[1]] : [repeat, next];
}

/** `last Friday`, `1st workday`, `1st and 15th`, `last day`, each with or without `of the month`. */
const daysOfMonth: Reader<Read> = (words, at) => {
  const found = daysWithoutMonth(words, at);
  return found && [found[0], ofMonth(words, found[1])];
};

/** The same before `of every month`, which makes them a repetition. */
const daysOfEveryMonth: Reader<Read> = (words, at) => {
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

function ofMonth(words: readonly LineWord[], at: number): number {
  const of = skip(words, at, "of");
  const which = skip(words, of, "the", "each", "every");
  return which > of && words[which]?.text === "month" ? which + 1 : at;
}

/** `24 December`, `December 24th`. */
const dayOfYear: Reader<Read> = (words, at) => {
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

/** Finding that a rule fits no date takes milliseconds. */
const mostTries = 5;

/** The repetitions in a text, as docs/quick-add.md has them. */
export function repeatsIn(text: string): readonly LinePhrase[] {
  const words = wordsOf(text);
  const phrases: LinePhrase[] = [];
  let tries = 0;
  for (let at = 0; at < words.length && tries < mostTries; at++) {
    const [found, next = 0] = repeatAt(words, at, text) ?? [];
    const [start, end] = [words[at]?.start, words[next - 1]?.end];
    if (!found || start === undefined || end === undefined) continue;
    tries += 1;
    const reading = readingOf(found);
    if (reading) phrases.push({ ...reading, start, end });
    if (reading) at = next - 1;
  }
  return phrases;
}

type Found = Readonly<{ read: Read; manner: Reading["manner"]; fromCompletion?: boolean; stays?: boolean }>;

/** A rule that fits no date, such as every 31 February, is a misreading. */
function readingOf({ read, manner, fromCompletion, stays = false }: Found): Reading | undefined {
  const [says, ...or] = [read, ...(read.or ?? [])].flatMap((repeat): Said[] => {
    const parsed = parseRecurrence(ruleOf(repeat));
    if (!("rule" in parsed)) return [];
    const { timeOfDay: part } = read;
    return [{ rule: parsed.rule, ...(part && { part }), ...(fromCompletion && { fromCompletion: true }) }];
  });
  return says && { says, or, manner, stays, isAsked: manner === "offered" || manner === "bare" };
}

function repeatAt(words: readonly LineWord[], at: number, line: string): FoundWords<Found> {
  const { text = "", end = 0 } = words[at] ?? {};
  const adverb = adverbs.get(text);
  if (adverb && (line[end] === ":" || isAdverb(words[at + 1])))
    return found(daysWithin(adverb, words, at + 1), "whole");
  // `weekly report` is a thing, `report weekly` and `weekly on Friday` are repetitions.
  if (adverb) return [{ read: adverb, manner: "offered", stays: true }, at + 1];
  if (text === "everyday") return [{ read: { freq: "DAILY" }, manner: "whole" }, at + 1];
  if (/^(every!?|each|ev|evry|evey)$/.test(text)) return everyAt(words, at);
  const first = skip(words, at, "on", "at");
  return found(daysOfEveryMonth(words, first), "whole") ?? listAt(words, at, first);
}

const found = (read: FoundWords<Read>, manner: Found["manner"]): FoundWords<Found> =>
  read && [{ read: read[0], manner }, read[1]];

function everyAt(words: readonly LineWord[], at: number): FoundWords<Found> {
  const [read, next = 0] =
    periodAt(words, at + 1) ??
    weekdaysAt(words, at + 1) ??
    partAt(words, at + 1) ??
    daysOfMonth(words, at + 1) ??
    dayOfYear(words, at + 1) ??
    dayAlone(words, at + 1) ??
    [];
  if (!read) return undefined;
  const other = words[next]?.text === "or" ? weekdaysAt(words, next + 1) : undefined;
  if (other) return [{ read: { ...read, or: [other[0]] }, manner: "offered" }, other[1]];
  const after = skip(words, next, "after", "from");
  const isAfter = after > next && /^(completion|completing|done)$/.test(words[after]?.text ?? "");
  const fromCompletion = isAfter || words[at]?.text === "every!";
  return [{ read, manner: "whole", fromCompletion }, isAfter ? after + 1 : next];
}

/** Several weekdays, or one as a plural, repeat without `every`: `mon wed fri`, `on Fridays`, `weekdays`. */
function listAt(words: readonly LineWord[], at: number, first: number): FoundWords<Found> {
  const name = words[first]?.text ?? "";
  const days = weekdayList(words, first);
  const isPlural = /days$|ends$/.test(name) && (days !== undefined || dayGroups.has(name));
  if (!isPlural && (days?.[0].length ?? 0) < 2) return undefined;
  const read = weekdaysAt(words, first);
  return found(read, first > at ? "whole" : "bare");
}

/** `day`, `2 weeks on Mon and Thu`, `other month`, `3rd day`, `6-8 weeks`. */
const periodAt: Reader<Read> = (words, at) => {
  const [interval, next, most] = intervalAt(words, at);
  const unit = wordOf(units)(words, next);
  if (!unit || ofMonth(words, unit[1]) > unit[1]) return undefined;
  const times = (many: number): Repeat => ({ ...unit[0], interval: many * (unit[0].interval ?? 1) });
  if (most) return [{ ...times(interval), or: [times(most)] }, unit[1]];
  return daysWithin(times(interval), words, unit[1]);
};

function intervalAt(words: readonly LineWord[], at: number): readonly [number, number, number?] {
  const text = words[at]?.text ?? "";
  if (text === "other") return [2, at + 1];
  const [, least, most] = /^(\d{1,3})[-–](\d{1,3})$/.exec(text) ?? [];
  if (least && most) return [Number(least), at + 1, Number(most)];
  const number = numberAt(words, at) ?? ordinalAt(words, at);
  return number && number[0] > 0 ? number : [1, at];
}

/** The days that a period may name: `on Monday` of a week, `on the 1st` of a month, `on 24 December` of a year. */
function daysWithin(repeat: Repeat, words: readonly LineWord[], at: number): FoundWords<Read> {
  const first = skip(words, skip(words, at, "on"), "the");
  const days = daysReaders[repeat.freq]?.(words, first);
  if (!days) return withPart(repeat, words, at);
  const { or: _, ...read } = days[0];
  return [{ ...read, ...repeat }, days[1]];
}

/** `27` of `every 27`, which ends a line. */
const dayAlone: Reader<Read> = (words, at) => {
  const day = numberAt(words, at);
  const isDay = day && day[0] >= 1 && day[0] <= 31 && day[1] === words.length;
  return isDay ? [{ freq: "MONTHLY", monthDays: [day[0]] }, day[1]] : undefined;
};

const partAt: Reader<Read> = (words, at) =>
  wordOf(partsOfDay)(words, at) && withPart({ freq: "DAILY" }, words, at);

const daysReaders: Readonly<Record<string, Reader<Read> | undefined>> = {
  WEEKLY: weekdaysAt,
  MONTHLY: daysOfMonth,
  YEARLY: dayOfYear,
};
