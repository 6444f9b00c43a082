import {
  type FoundWords,
  type LineWord,
  numberAt,
  ordinalAt,
  partsOfDay,
  type Reader,
  skip,
  wordOf,
  wordsOf,
} from "../../../../shared/domain/todo/quick-add-words.ts";
import { parseRecurrence } from "../../../../shared/domain/todo/recurrence.ts";
import type { LinePhrase, Reading, Said } from "./phrase.ts";
import {
  dayGroups,
  dayOfYear,
  daysOfEveryMonth,
  daysOfMonth,
  ofMonth,
  type Read,
  weekdayList,
  weekdaysAt,
  withPart,
} from "./repeat-days.ts";
import { type Repeat, ruleOf } from "./repeat-rule.ts";
import { adverbs, isAdverb, units } from "./repeat-words.ts";

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
