import {
  type FoundWords,
  type LineWord,
  listOf,
  months,
  nothingIn,
  numberAt,
  ordinalAt,
  type Part,
  type Reader,
  skip,
  weekdays,
  without,
  wordOf,
  wordsOf,
} from "../../../shared/domain/todo/quick-add-words.ts";
import { parseRecurrence } from "../../../shared/domain/todo/recurrence.ts";
import type { TimeOfDay } from "../../../shared/domain/vocabulary.ts";
import { dayCode, type Repeat, ruleOf } from "./repeat-rule.ts";

export type RepeatInText = Readonly<{
  /** Normalised. */
  rule: string;
  /** Set by `every! 3 days`, which counts from the day of completion. */
  fromCompletion: boolean;
  /** Set by `every morning`. */
  timeOfDay: TimeOfDay | undefined;
}>;

/** To find that a rule fits no date takes milliseconds. */
const mostTries = 5;

/** The first repetition in a text, as docs/quick-add.md has them. */
export function findRepeat(text: string): Part<RepeatInText> {
  const words = wordsOf(text);
  let tries = 0;
  for (const [at, { text: first, start }] of words.entries()) {
    const [repeat, next] = repeatAt(words, at) ?? [];
    const end = words[(next ?? 0) - 1]?.end;
    const rule = repeat && tries++ < mostTries ? ruleIn(repeat) : undefined;
    if (rule === undefined || end === undefined) continue;
    const value = { rule, fromCompletion: first === "every!", timeOfDay: repeat?.timeOfDay };
    return { value, rest: without(text, { start, end }) };
  }
  return nothingIn(text);
}

/** A rule that fits no date, such as every 31 February, was not meant as one. */
function ruleIn(repeat: Repeat): string | undefined {
  const parsed = parseRecurrence(ruleOf(repeat));
  return "rule" in parsed ? parsed.rule : undefined;
}

type Read = Repeat & Readonly<{ timeOfDay?: TimeOfDay }>;

const adverbs = new Map<string, Repeat>([
  ["daily", { freq: "DAILY" }],
  ["weekly", { freq: "WEEKLY" }],
  ["monthly", { freq: "MONTHLY" }],
  ["yearly", { freq: "YEARLY" }],
  ["annually", { freq: "YEARLY" }],
]);

const units = new Map<string, Repeat["freq"]>([
  ...["day", "days"].map((name) => [name, "DAILY"] as const),
  ...["week", "weeks"].map((name) => [name, "WEEKLY"] as const),
  ...["month", "months"].map((name) => [name, "MONTHLY"] as const),
  ...["year", "years"].map((name) => [name, "YEARLY"] as const),
]);

const partsOfDay = new Map<string, TimeOfDay>([
  ...["morning", "mornings"].map((name) => [name, "morning"] as const),
  ...["afternoon", "afternoons"].map((name) => [name, "afternoon"] as const),
  ...["evening", "evenings", "night", "nights"].map((name) => [name, "evening"] as const),
]);

const workdays = [1, 2, 3, 4, 5];
const dayGroups = new Map<string, readonly number[]>([
  ...["weekday", "weekdays", "workday", "workdays"].map((name) => [name, workdays] as const),
  ...["weekend", "weekends"].map((name) => [name, [6, 7]] as const),
]);

function repeatAt(words: readonly LineWord[], at: number): FoundWords<Read> {
  const { text = "" } = words[at] ?? {};
  const adverb = adverbs.get(text);
  if (adverb) return isAdverb(words[at + 1]) ? daysWithin(adverb, words, at + 1) : undefined;
  if (!/^(every!?|each)$/.test(text)) return undefined;
  return (
    periodAt(words, at + 1) ??
    weekdaysAt(words, at + 1) ??
    partAt(words, at + 1) ??
    daysOfMonth(words, at + 1) ??
    dayOfYear(words, at + 1)
  );
}

/** `weekly report` is a thing, `report weekly` and `weekly on Friday` are repetitions. */
const isAdverb = (next: LineWord | undefined): boolean =>
  next === undefined || /^(on|at|in|from|until|till|starting|,)$/.test(next.text);

/** `day`, `2 weeks on Mon and Thu`, `other month`, `3rd day`. */
const periodAt: Reader<Read> = (words, at) => {
  const [interval, next] = intervalAt(words, at);
  const unit = wordOf(units)(words, next);
  if (!unit || ofMonth(words, unit[1]) > unit[1]) return undefined;
  return daysWithin({ freq: unit[0], interval }, words, unit[1]);
};

function intervalAt(words: readonly LineWord[], at: number): readonly [number, number] {
  if (words[at]?.text === "other") return [2, at + 1];
  const number = numberAt(words, at) ?? ordinalAt(words, at);
  return number && number[0] > 0 ? number : [1, at];
}

/** The days that a period may name: `on Monday` of a week, `on the 1st` of a month, `on 24 December` of a year. */
function daysWithin(repeat: Repeat, words: readonly LineWord[], at: number): FoundWords<Read> {
  const first = skip(words, skip(words, at, "on"), "the");
  const days = daysReaders[repeat.freq]?.(words, first);
  return days ? [{ ...days[0], ...repeat }, days[1]] : [repeat, at];
}

/** `Mon, Wed and Fri`, `other Friday`, `weekday`, `Monday morning`. */
const weekdaysAt: Reader<Read> = (words, at) => {
  const isOther = words[at]?.text === "other";
  const first = isOther ? at + 1 : at;
  const found = wordOf(dayGroups)(words, first) ?? listOf(wordOf(weekdays))(words, first);
  if (!found) return undefined;
  const [days, next] = found;
  const repeat = { freq: "WEEKLY", interval: isOther ? 2 : 1, days: days.map(dayCode) } as const;
  const part = wordOf(partsOfDay)(words, next);
  return part ? [{ ...repeat, timeOfDay: part[0] }, part[1]] : [repeat, next];
};

const partAt: Reader<Read> = (words, at) => {
  const part = wordOf(partsOfDay)(words, at);
  return part && [{ freq: "DAILY", timeOfDay: part[0] }, part[1]];
};

/** `last Friday`, `1st and 15th`, `last day`, each with or without `of the month`. */
const daysOfMonth: Reader<Read> = (words, at) => {
  const first = skip(words, at, "the");
  const place = ordinalAt(words, first);
  const weekday = place && wordOf(weekdays)(words, place[1]);
  if (place && weekday) {
    const days = [`${place[0]}${dayCode(weekday[0])}`];
    return [{ freq: "MONTHLY", days }, ofMonth(words, weekday[1])];
  }
  const days = listOf(dayOfMonth)(words, first);
  return days && [{ freq: "MONTHLY", monthDays: days[0] }, ofMonth(words, days[1])];
};

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

const daysReaders: Readonly<Record<string, Reader<Repeat> | undefined>> = {
  WEEKLY: weekdaysAt,
  MONTHLY: daysOfMonth,
  YEARLY: dayOfYear,
};
