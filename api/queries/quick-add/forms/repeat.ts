import {
  type FoundWords,
  type LineWord,
  listOf,
  months,
  numberAt,
  numbers,
  ordinalAt,
  ordinals,
  partsOfDay,
  type Reader,
  skip,
  weekdays,
  wordOf,
  wordsOf,
} from "../../../../shared/domain/todo/quick-add-words.ts";
import { parseRecurrence } from "../../../../shared/domain/todo/recurrence.ts";
import { type LinePhrase, type Reading, type Said, wordChoice } from "./phrase.ts";
import {
  datesOfYear,
  dayGroups,
  daysOfMonth,
  monthAlone,
  ofMonth,
  orEveryOther,
  type Read,
  weekdayList,
  weekdaysAt,
  withPart,
} from "./repeat-days.ts";
import { dayCode, dayOfCode, type Repeat, ruleOf } from "./rule.ts";

const weeks = (interval: number): Repeat => ({ freq: "WEEKLY", interval });

const adverbs = new Map<string, Read>([
  ["daily", { freq: "DAILY" }],
  ["nightly", { freq: "DAILY", timeOfDay: "evening" }],
  ["weekly", { freq: "WEEKLY" }],
  ...["biweekly", "bi-weekly", "fortnightly"].map((name) => [name, weeks(2)] as const),
  ["monthly", { freq: "MONTHLY" }],
  ["quarterly", { freq: "MONTHLY", interval: 3 }],
  ...["half-yearly", "semiannually"].map((name) => [name, { freq: "MONTHLY", interval: 6 }] as const),
  ...["yearly", "annually"].map((name) => [name, { freq: "YEARLY" }] as const),
]);

const units = new Map<string, Repeat>([
  ...["day", "days"].map((name) => [name, { freq: "DAILY" }] as const),
  ...["week", "weeks", "wk", "wks"].map((name) => [name, { freq: "WEEKLY" }] as const),
  ...["fortnight", "fortnights"].map((name) => [name, weeks(2)] as const),
  ...["month", "months"].map((name) => [name, { freq: "MONTHLY" }] as const),
  ...["quarter", "quarters"].map((name) => [name, { freq: "MONTHLY", interval: 3 }] as const),
  ...["year", "years"].map((name) => [name, { freq: "YEARLY" }] as const),
]);

/** An adverb is a repetition at the end, or before words that begin no noun. */
const isAdverb = (next: LineWord | undefined): boolean => !next || behindAdverb.test(next.text);
const behindAdverb =
  /^(on|at|in|from|until|till|starting|for|and|to|with|except|excluding|but|,|[#@].*|\d{1,2}(:\d\d|[ap]m|[-–]\d).*)$/;

/** Finding that a rule fits no date takes milliseconds. */
const mostTries = 5;

/** The repetitions in a text, as docs/quick-add.md has them. */
export function repeatsIn(text: string): readonly LinePhrase[] {
  const words = wordsOf(text);
  const phrases: LinePhrase[] = [];
  let tries = 0;
  for (let at = 0; at < words.length && tries < mostTries; at++) {
    const [found, next = 0] = wholeRepeat(words, repeatAt(words, at, text)) ?? [];
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

/** A repetition in doubt is asked about, and its words stay in the title. */
const doubted = (found: Found): Found => ({ ...found, manner: "offered", stays: true });

/** A rule that fits no date, such as every 31 February, is a misreading. */
function readingOf({ read, manner, fromCompletion, stays = false }: Found): Reading | undefined {
  const [says, ...or] = [read, ...(read.or ?? [])].flatMap((repeat): Said[] => {
    const parsed = parseRecurrence(ruleOf(repeat));
    if (!("rule" in parsed)) return [];
    const { timeOfDay: part } = read;
    return [{ rule: parsed.rule, ...(part && { part }), ...(fromCompletion && { fromCompletion: true }) }];
  });
  return says && { says, or, manner, stays, isAsked: true };
}

function repeatAt(words: readonly LineWord[], at: number, line: string): FoundWords<Found> {
  const { text = "", end = 0 } = words[at] ?? {};
  const adverb = adverbs.get(text);
  const before = words[at - 2]?.text ?? "";
  const isTime = months.has(before) || /^(at|@|by|from|to|until)$/.test(before);
  const [counted = 0] = (at > 0 && !isTime && numberAt(words, at - 1)) || [];
  // `three monthly` is every three months, `300 monthly` hardly.
  const or = adverb && counted > 1 && counted < 13 ? [{ ...adverb, interval: counted }] : [];
  if (adverb && counted > 0) return [doubted({ read: { ...adverb, or }, manner: "whole" }), at + 1];
  const within = adverb && daysWithin(adverb, words, at + 1);
  // `Weekly Monday meeting` is a name.
  const hasDays = within && within[1] > at + 1 && (at > 0 || within[0].freq !== "WEEKLY");
  if (hasDays || (adverb && (line[end] === ":" || isAdverb(words[at + 1])))) return found(within, "whole");
  // `weekly report` is a thing, `report weekly` and `weekly on Friday` are repetitions.
  if (adverb) return [doubted({ read: adverb, manner: "whole" }), at + 1];
  if (text === "everyday") return [{ read: { freq: "DAILY" }, manner: "whole" }, at + 1];
  if (/^(every!?|each|ev|evry|evey)$/.test(text)) return everyAt(words, at);
  if (text === "once" && words[at + 1]?.text === "every") return everyAt(words, at + 1);
  const first = skip(words, at, "on", "at");
  if (words[first]?.text === "alternate") return everyAt(words, first - 1);
  return listAt(words, at, first);
}

const found = (read: FoundWords<Read>, manner: Found["manner"]): FoundWords<Found> =>
  read && [{ read: read[0], manner }, read[1]];

function everyAt(words: readonly LineWord[], at: number): FoundWords<Found> {
  const first = at + 1;
  const [read, next = 0] =
    periodAt(words, first) ??
    weekdaysAt(words, first) ??
    partAt(words, first) ??
    datesOfYear(words, first) ??
    ordinalDays(words, first) ??
    dayAlone(words, first) ??
    monthAlone(words, first) ??
    withinDay(words, first) ??
    [];
  if (!read) return undefined;
  const other = words[next]?.text === "or" ? weekdaysAt(words, next + 1) : undefined;
  if (other) return [{ read: { ...read, or: [other[0]] }, manner: "offered" }, other[1]];
  const after = skip(words, next, "after", "from", "when");
  const isAfter = after > next && /^(completion|completing|completed|done)$/.test(words[after]?.text ?? "");
  const fromCompletion = isAfter || words[at]?.text === "every!";
  return [{ read, manner: "whole", fromCompletion }, isAfter ? after + 1 : next];
}

/** `2nd Tuesday` may be every other one, but not with `of the month`. */
const ordinalDays: Reader<Read> = (words, at) => {
  const days = daysOfMonth(words, at);
  // `Every second counts`
  const isNamed = days && words.slice(at, days[1]).some(({ text }) => !ordinals.has(text) && text !== "the");
  if (!isNamed) return undefined;
  const isOfMonth = words[days[1] - 1]?.text === "month";
  return [isOfMonth ? days[0] : orEveryOther(days[0], words[skip(words, at, "the")]?.text), days[1]];
};

const withinSpan = new RegExp(
  `^(from|starting|until|till|to|between|and|at|noon|midnight|\\d{1,2}(:\\d\\d)?([ap]m)?|for|the|next|days?|weeks?|months?|${wordChoice([...weekdays.keys(), ...numbers.keys()])})$`,
);

/** Hours and minutes between repetitions, which have no field, with the times of their beginning and end. */
const withinDay: Reader<Read> = (words, at) => {
  const number = numberAt(words, at) ?? [1, /^(other|few)$/.test(words[at]?.text ?? "") ? at + 1 : at];
  if (!/^(h|hrs?|hours?|min|mins|minutes?)$/.test(words[number[1]]?.text ?? "")) return undefined;
  return [{ freq: "DAILY", isDoubted: true }, nextNot(withinSpan, words, number[1] + 1)];
};

/** The index of the first word that does not match. */
function nextNot(pattern: RegExp, words: readonly LineWord[], at: number): number {
  const rest = words.slice(at).findIndex(({ text }) => !pattern.test(text));
  return rest < 0 ? words.length : at + rest;
}

const timeWord = /^(at|@|noon|midnight|\d{1,2}([:.]\d\d)?([ap]m)?)$/;

/** Reads a repetition to its end: exceptions, months, and words that leave it in doubt. */
function wholeRepeat(words: readonly LineWord[], repeat: FoundWords<Found>): FoundWords<Found> {
  if (!repeat || (repeat[0].manner === "offered" && !repeat[0].read.isDoubted)) return repeat;
  const [found, end] = repeat;
  const [read, next] = exceptAt(found.read, words, end) ??
    inMonths(found.read, words, end) ??
    betweenWeekdays(found.read, words, end) ?? [found.read, end];
  const last = endOfDoubt(words, next, read);
  const behindTime = nextNot(timeWord, words, end);
  const late = behindTime > end ? exceptAt(found.read, words, behindTime) : undefined;
  if (late) return [doubted({ ...found, read: late[0] }), late[1]];
  return last > next || read.isDoubted ? [doubted({ ...found, read }), last] : [{ ...found, read }, next];
}

/** `every weekday except Friday`. Other exceptions run to the end of the line, or to a mark. */
function exceptAt(read: Read, words: readonly LineWord[], at: number): FoundWords<Read> {
  const word = skip(words, at, ",");
  const name = words[word]?.text ?? "";
  if (!/^(but|not|except|excepting|excluding|apart|besides|without|save)$/.test(name)) return undefined;
  const without = weekdayList(words, skip(words, skip(words, word + 1, "for", "from", "not"), "on"));
  if (/^(but|not)$/.test(name) && !without && !months.has(words[word + 1]?.text ?? "")) return undefined;
  const { freq, interval = 1, days: codes } = read;
  const days = codes?.map(dayOfCode) ?? (freq === "DAILY" ? [1, 2, 3, 4, 5, 6, 7] : []);
  const left = days.filter((day) => !without?.[0].includes(day));
  const isLess = left.length > 0 && left.length < days.length;
  if (without && isLess && interval === 1 && freq !== "MONTHLY")
    return [{ ...read, freq: "WEEKLY", days: left.map(dayCode) }, without[1]];
  return [{ ...read, isDoubted: true }, nextNot(/^[^#@]/, words, word)];
}

/** `every Friday in December`, `every first Monday of September`, `every day from April to June`. */
function inMonths(read: Read, words: readonly LineWord[], at: number): FoundWords<Read> {
  const first = skip(words, at, "in", "of", "during", "from");
  const found = first > at && read.freq !== "YEARLY" ? listOf(wordOf(months))(words, first) : undefined;
  if (!found) return undefined;
  if (words[at]?.text !== "from") return [{ ...read, months: found[0] }, found[1]];
  const [[from = 1], next] = found;
  const last = wordOf(months)(words, skip(words, next, "to", "through", "till", "until"));
  const length = last && ((last[0] - from + 12) % 12) + 1;
  const span = Array.from({ length: length ?? 0 }, (_, later) => ((from + later - 1) % 12) + 1);
  return last && [{ ...read, months: span }, last[1]];
}

/** `every day from Monday to Thursday`. */
function betweenWeekdays(read: Read, words: readonly LineWord[], at: number): FoundWords<Read> {
  const days = words[at]?.text === "from" ? weekdayList(words, at + 1) : undefined;
  if (!days || days[0].length < 2 || read.freq !== "DAILY" || (read.interval ?? 1) > 1) return undefined;
  return [{ ...read, freq: "WEEKLY", days: days[0].map(dayCode) }, days[1]];
}

const names = [weekdays, dayGroups, partsOfDay, adverbs, units].flatMap((known) => [...known.keys()]);
const calendarWord = new RegExp(`^(${wordChoice(names)}|every|each|holidays?|[\\d/]+(st|nd|rd|th))$`);
const calendarWords = new RegExp(`${calendarWord.source}|^(,|and|&|/|of|the)$`);
const season = /^(week|month|quarter|year|term|season|summer|autumn|fall|winter|spring|school)$/;

/** The index after words that would change the meaning of a repetition, such as `and evening` or `of the quarter`. */
function endOfDoubt(words: readonly LineWord[], at: number, { freq }: Read): number {
  const joined = skip(words, skip(words, at, ","), "and", "&", "+", "/", "or");
  const then = words[joined]?.text ?? "";
  const isMonth = freq === "YEARLY" && months.has(then);
  // `or 5000 miles`
  if (words[joined - 1]?.text === "or" && joined > at) return nextNot(/^[^#@]/, words, joined);
  if (joined > at ? calendarWord.test(then) || isMonth : units.has(then))
    return nextNot(calendarWords, words, joined);
  const span = skip(words, skip(words, at, "in", "of", "during"), "the", "this", "next");
  return span > at && season.test(words[span]?.text ?? "") ? nextNot(calendarWords, words, span + 1) : at;
}

/** `last day of every month`, or several days: `mon wed fri`, `on Fridays`, `2nd and 4th Mon`. */
function listAt(words: readonly LineWord[], at: number, first: number): FoundWords<Found> {
  const manner = first > at ? "whole" : "bare";
  const inMonth = daysOfMonth(words, first);
  const lastTwo = inMonth && words.slice(inMonth[1] - 2, inMonth[1]).map(({ text }) => text);
  if (/^(every|each),month$/.test(String(lastTwo))) return found(inMonth, "whole");
  if (inMonth && (inMonth[0].days?.length ?? 0) > 1 && !inMonth[0].positions) return found(inMonth, manner);
  const days = weekdayList(words, first);
  if (!days || (words[days[1]]?.text === "from" && words[days[1] + 1]?.text === "now")) return undefined;
  const isAlone = days[1] === first + 1 && (days[0].length === 1 || dayGroups.has(words[first]?.text ?? ""));
  const lastWords = words.slice(days[1] - 1, days[1] + 1);
  const isPlural = lastWords.some(({ text }) => /(day|end|night|ning|noon)s$/.test(text));
  return isAlone && !isPlural ? undefined : found(weekdaysAt(words, first), manner);
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
  if (text === "other" || text === "alternate") return [2, at + 1];
  if (text === "couple") return [2, skip(words, at + 1, "of")];
  const [, least, most] = /^(\d{1,3})[-–](\d{1,3})$/.exec(text) ?? [];
  if (least && most) return [Number(least), at + 1, Number(most)];
  const number = numberAt(words, at) ?? ordinalAt(words, at);
  return number && number[0] > 0 ? number : [1, at];
}

/** The days that a period may name: `on Monday` of a week, `on the 1st` of a month, `on 24 December` of a year. */
function daysWithin(repeat: Read, words: readonly LineWord[], at: number): FoundWords<Read> {
  const first = skip(words, skip(words, at, "on"), "the");
  const readers = { DAILY: undefined, WEEKLY: weekdaysAt, MONTHLY: daysOfMonth, YEARLY: datesOfYear };
  const days = readers[repeat.freq]?.(words, first);
  if (!days) return repeat.timeOfDay ? [repeat, at] : withPart(repeat, words, at);
  const or = days[0].or?.map((other) => ({ ...other, interval: repeat.interval ?? 1 }));
  return [{ ...days[0], ...repeat, ...(or && { or }) }, days[1]];
}

/** `27` of `every 27`, which ends a line. */
const dayAlone: Reader<Read> = (words, at) => {
  const day = numberAt(words, at);
  const isDay = day && day[0] >= 1 && day[0] <= 31 && day[1] === words.length;
  return isDay ? [{ freq: "MONTHLY", monthDays: [day[0]] }, day[1]] : undefined;
};

/** `morning`, `other evening`. */
const partAt: Reader<Read> = (words, at) => {
  const [interval, next, most] = intervalAt(words, at);
  const isPart = !most && wordOf(partsOfDay)(words, next);
  return isPart ? withPart({ freq: "DAILY", interval }, words, next) : undefined;
};
