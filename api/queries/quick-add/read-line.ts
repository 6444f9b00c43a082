import type { Field } from "../../../shared/contracts/kernel/declared-fields.ts";
import { todoTags } from "../../../shared/contracts/todo/fields.ts";
import { addDays } from "../../../shared/domain/day/day.ts";
import { partsOfDay } from "../../../shared/domain/todo/quick-add-words.ts";
import { dayPhrasesIn } from "./forms/days.ts";
import {
  amount,
  type Clock,
  hourOf,
  type LinePhrase,
  numberSaid,
  type Recogniser,
  recognise,
  type Said,
  spanOf,
  wordsLike,
} from "./forms/phrase.ts";
import { repeatsIn } from "./forms/repeat.ts";
import { rhythmOfRule, rhythms } from "./forms/rule.ts";
import { minutes, times } from "./forms/times.ts";

/** A text behind its sign, or one of the words of a choice. */
const mark = (sign: string, field: string, words?: readonly string[]): Recogniser => ({
  pattern: new RegExp(
    `(?<=^|[\\s(])${RegExp.escape(sign)}(?:"([^"]*[^"\\s][^"]*)"|(\\p{L}[^\\s"]*(?<![.,;:!?)])))`,
    "gu",
  ),
  read([, quoted, word = ""]) {
    const text = (quoted ?? word).trim();
    const value = words ? words.find((one) => one === text.toLowerCase()) : text;
    return value ? { says: { [field]: value }, manner: "mark" } : undefined;
  },
});

/** A mark of its own word; `Hurry!` stays a title. */
const importance: Recogniser = {
  pattern: /(?<=^|\s)(?:!{1,3}|!!1|p1)(?=\s|$)/gi,
  read: () => ({ says: { isImportant: true }, manner: "mark" }),
};

/** `in the morning`; other parts of the day belong to a day or to a repetition. */
const part: Recogniser = {
  pattern: wordsLike("in the (morning|afternoon|evening)s?|at night"),
  read: ([, name = "night"]) => ({ says: { part: partsOfDay.get(name.toLowerCase()) }, manner: "whole" }),
};

/** The end of a repetition, `for 6 weeks` or `5 times`. */
const ends: readonly Recogniser[] = [
  {
    pattern: wordsLike(`for (?:(?:the next )?${amount}|the next (?<unit>day|week|month|year))`),
    read: ({ groups = {} }) => ({
      says: { lasts: spanOf(groups.many ?? "1", groups.unit) },
      manner: "whole",
    }),
  },
  {
    pattern: wordsLike("(?:for )?([1-9]\\d{0,2}) times"),
    read: ([, many]) => ({ says: { count: numberSaid(many) }, manner: "whole" }),
  },
];

const otherMarks: readonly Recogniser[] = [
  mark("#", "category"),
  ...Object.entries<Field>(todoTags).map(([name, { mark: sign = "", value }]) =>
    mark(sign, name, value.enum),
  ),
  importance,
  minutes,
  part,
  ...ends,
];

const remind = "(?:and )?(?:(?:please )?remind me|(?:set )?(?:a )?reminder|with a reminder)";

const minutesOf: Readonly<Record<string, number | undefined>> = { m: 1, h: 60, d: 1_440, w: 10_080 };

/** Phrases that ask for a reminder. */
const reminders: readonly Recogniser[] = [
  {
    pattern: wordsLike(`${remind}(?: to| that| about| of| for)?`),
    read: () => ({ says: { asksReminder: true }, manner: "whole" }),
  },
  {
    pattern: wordsLike(
      `${remind} (?:at|@) ?(?<hour>\\d{1,2})(?::(?<minute>\\d\\d))?(?: ?(?<half>[ap])(?:\\.m\\.?|m))?`,
    ),
    read({ groups = {} }) {
      const remindHour = hourOf({ hour: groups.hour, minute: groups.minute, half: groups.half });
      return remindHour && { says: { remindHour }, manner: "whole" };
    },
  },
  {
    pattern: wordsLike(
      `(?:${remind}|(?:and )?(?:remind|alert)(?: me)?) (?<many>\\d{1,3}|an?|half an|the) ?(?<unit>m|h|d|w)(?:in(?:ute)?s?|rs?|ours?|ays?|eeks?)? (?:before(?:hand)?|earlier|prior|ahead|in advance)`,
    ),
    read({ groups: { many = "", unit = "" } = {} }) {
      const number = /half/i.test(many) ? 0.5 : /the/i.test(many) ? 1 : numberSaid(many);
      return { says: { remindBefore: number * (minutesOf[unit.toLowerCase()] ?? 1) }, manner: "whole" };
    },
  },
];

const recognisers = [...reminders, ...rhythms, ...times, ...otherMarks];

/** A line, and the fields that its phrases set together. */
export type ReadLine = Taken & Readonly<{ says: Said }>;

/** Reads the phrases for the fields of a todo or a habit. */
export function readLine(line: string, clock: Clock, kind: "todo" | "habit" | "any"): ReadLine {
  const [repeats, days] = [oneRepeat(repeatsIn(line)), dayPhrasesIn(line, clock)];
  const others = recognise(recognisers, line, clock);
  const choices = [
    ...joined(line, days, repeats.length > 0),
    ...twoMoments(line, [...repeats, ...days], others),
  ];
  const phrases = [...repeats.map((one) => orFirstDay(line, one, clock)), ...days, ...choices, ...others];
  return takeMet(
    line,
    phrases.filter(kind === "habit" ? isOfHabit : kind === "todo" ? isOfTodo : () => true),
  );
}

const isOfTodo = ({ says }: LinePhrase): boolean => says.rhythm === undefined;

const habitFields: readonly string[] = [
  "rule",
  "rhythm",
  "part",
  "category",
  "hour",
  "remindHour",
  "asksReminder",
];

const isOfHabit = ({ says, manner }: LinePhrase): boolean =>
  manner !== "offered" &&
  Object.keys(says).every((field) => habitFields.includes(field)) &&
  (says.rule === undefined || rhythmOfRule(says.rule) !== undefined);

/** These words fit no field, so they stay and their meanings are asked. */
const asked = { manner: "offered", isAsked: true, stays: true } as const;

/**
 * `Friday or Saturday` is one phrase with a choice. `Tomorrow and Friday` and `4 Jan to 11 Jan` fit no field, but of a
 * repetition the latter are the beginning and the end.
 */
function joined(line: string, days: readonly LinePhrase[], isRepeated: boolean): readonly LinePhrase[] {
  return days.flatMap((one) =>
    days.flatMap((other): LinePhrase[] => {
      const [first, { until, date: end = until }] = [one.says.date, other.says];
      const joint = first && end && line.slice(one.end, other.start);
      const isSpan = until ? joint === " " : /^(?: to | ?[-–—] ?)$/i.test(joint || "");
      if (!first || !end || !joint || (!isSpan && !/^(?: (?:or|and|&)|,) $/i.test(joint))) return [];
      // From Monday until Friday, on a Wednesday.
      const last = isSpan && end < first ? addDays(end, 7) : end;
      const both = { ...one, end: other.end, or: [...(one.or ?? []), { date: last }] };
      if (isSpan && isRepeated) return [{ ...one, end: other.end, says: { ...one.says, until: last } }];
      return [/or/i.test(joint) ? { ...both, or: [...(one.or ?? []), other.says] } : { ...both, ...asked }];
    }),
  );
}

/** `Mon 9am and Tue 10am`: a todo has one moment, so each day is asked. */
function twoMoments(
  line: string,
  days: readonly LinePhrase[],
  others: readonly LinePhrase[],
): readonly LinePhrase[] {
  const hours = others.filter(({ says }) => says.hour && says.date === undefined);
  const moments = days.flatMap((day) =>
    hours.flatMap((hour): LinePhrase[] => {
      const [first, last] = day.start < hour.start ? [day, hour] : [hour, day];
      if (!isBefore(first, last.start, line)) return [];
      return [{ ...day, says: { ...day.says, ...hour.says }, start: first.start, end: last.end }];
    }),
  );
  const [one, ...more] = withoutOverlaps(moments);
  const last = more.at(-1);
  return one && last
    ? [{ ...one, ...asked, end: last.end, or: [...(one.or ?? []), ...more.map(({ says }) => says)] }]
    : [];
}

/** A todo has one repetition, so each of `Mondays at 9 every two weeks` is asked. */
function oneRepeat(repeats: readonly LinePhrase[]): readonly LinePhrase[] {
  const whole = repeats.filter(({ manner }) => manner !== "offered");
  return whole.length < 2 ? repeats : repeats.map((one) => ({ ...one, ...asked }));
}

const spanOfDays = /^(\p{L}+) ?(?:[-–]|to|through|thru) ?\p{L}+$/iu;

/** `Mon-Wed` may be the days of one visit, but Monday to Friday hardly. */
function orFirstDay(line: string, repeat: LinePhrase, clock: Clock): LinePhrase {
  const { start, end, says, manner, or = [] } = repeat;
  const [, first = ""] = spanOfDays.exec(line.slice(start, end)) ?? [];
  const [day] = dayPhrasesIn(first, clock);
  if (!day || manner !== "bare" || says.rule?.endsWith("MO,TU,WE,TH,FR")) return repeat;
  return { ...repeat, or: [...or, { ...day.says, rule: undefined }] };
}

/** Drops phrases that need a missing one: an end without a repetition, a reminder without a day. */
function takeMet(line: string, phrases: readonly LinePhrase[]): ReadLine {
  const taken = take(line, phrases);
  const says: Said = Object.assign({}, ...taken.phrases.map((phrase) => phrase.says));
  const unmet = taken.phrases.filter((phrase) => !isMet(phrase.says, says));
  if (unmet.length === 0) return { ...taken, says };
  return takeMet(
    line,
    phrases.filter((phrase) => !unmet.includes(phrase)),
  );
}

const minutesOfDay = 24 * 60;

function isMet(one: Said, all: Said): boolean {
  const hasDay = all.date !== undefined || all.rule !== undefined;
  if (one.until ?? one.lasts ?? one.count) return all.rule !== undefined;
  if (one.remindBefore !== undefined)
    return all.hour !== undefined || (hasDay && one.remindBefore >= minutesOfDay);
  return one.asksReminder === undefined || hasDay || all.hour !== undefined;
}

/** The phrases of a line that count, those that are only asked about, and the title that is left. */
type Taken = Readonly<{ phrases: readonly LinePhrase[]; asked: readonly LinePhrase[]; title: string }>;

/** Words that need another word after them. */
const dangling =
  /(?:^|[\s(])(?:of|for|to|and|or|with|w\/|from|about|my|your|our|his|her|their|at|in|by|than|between|re|after|before|since|as|is|vs|page|chapter|except|excluding|but not|(?:this|same) time|&|\+)$|\s(?:an?|the)$/i;

/** Words that can follow the title where a phrase was removed. */
const joining =
  /^(?:[,;:–(-]|!{1,3}\d?(?!\S)|p[1-4](?!\S)|(?:to|and|with|w\/|for|about|at|from|in|before|after|or|because|so|then|if|unless|re|until|at|while)(?=\s))/i;

/** Signs between a phrase and the title, and brackets around a phrase. */
const trimmed = (text: string): string => text.replace(/[\s,;!(–-]*$/, "");

/**
 * Removes phrases from both ends of a line. In the middle it removes a whole phrase, if the word before does not
 * need it and the word after begins anew. Of two phrases for one field, the later one counts.
 */
function take(line: string, found: readonly LinePhrase[]): Taken {
  const phrases = withoutOverlaps(found);
  const last = phrasesAtEnd(line, phrases);
  const end = last[0] ? trimmed(line.slice(0, last[0].start)).length : line.length;
  const free = phrases.filter((phrase) => phrase.end <= end && isFree(phrase, last));
  const head = phrasesAtStart(line.slice(0, end), free);
  const start = head.length > 0 ? startOfTitle(line, head) : 0;
  const others = free.filter((phrase) => phrase.start >= start && !head.includes(phrase));
  const middle = phrasesWithin(line.slice(0, end), start, others, [...head, ...last]);
  const taken = [...head, ...middle, ...last];
  const asked = phrases.filter(
    (phrase) =>
      phrase.isAsked && !taken.includes(phrase) && isFree(phrase, taken) && isAtAnEnd(line, phrase, phrases),
  );
  return { phrases: taken, asked, title: titleOf(line, { start, end }, middle) };
}

const fieldsOf = (says: Said): readonly string[] => Object.keys(says);

/** True for a phrase whose fields no other phrase has set. */
const isFree = ({ says }: LinePhrase, others: readonly LinePhrase[]): boolean =>
  others.every((other) => !fieldsOf(other.says).some((field) => fieldsOf(says).includes(field)));

/** The longest of overlapping phrases counts, and the first of equally long ones. */
function withoutOverlaps(found: readonly LinePhrase[]): readonly LinePhrase[] {
  const chosen: LinePhrase[] = [];
  const length = ({ start, end }: LinePhrase) => end - start;
  for (const phrase of found.toSorted((one, other) => length(other) - length(one)))
    if (chosen.every(({ start, end }) => phrase.end <= start || phrase.start >= end)) chosen.push(phrase);
  return chosen.toSorted((one, other) => one.start - other.start);
}

/** A date such as 3/12 counts only beside a time or another date phrase. */
const isAlone = (phrase: LinePhrase, others: readonly LinePhrase[]): boolean =>
  phrase.manner === "beside" && !others.some(({ says }) => says.hour ?? says.rule ?? says.remindHour);

function phrasesAtEnd(line: string, phrases: readonly LinePhrase[]): readonly LinePhrase[] {
  const taken: LinePhrase[] = [];
  let end = line.replace(/[\s.,;!?)…]*$/, "").length;
  for (const phrase of phrases.toReversed()) {
    // A phrase may end with the full stop of `3.12.` or `p.m.`
    const isLast = phrase.end >= end || line.slice(phrase.end, end).trim() === "";
    if (isLast && phrase.manner === "offered" && isMoment(phrase)) return withoutMoments(taken);
    if (!isLast || phrase.manner === "offered" || !isFree(phrase, taken)) break;
    taken.unshift(phrase);
    end = trimmed(line.slice(0, phrase.start)).replace(/\sand$/i, "").length;
  }
  const left = () => trimmed(line.slice(0, taken[0]?.start));
  let isOfName = false;
  while (taken[0] && (dangling.test(left()) || isAlone(taken[0], taken)))
    isOfName = [taken.shift()].some((phrase) => phrase && isMoment(phrase)) || isOfName;
  // In `slides for Friday 10am` the time belongs to the day that stays.
  return isOfName && !taken.some(isMoment) ? withoutMoments(taken) : taken;
}

const isMoment = ({ says }: LinePhrase): boolean => says.date !== undefined || says.rule !== undefined;

/** The phrases behind the last day, repetition or time, which belongs to words that stay. */
const withoutMoments = (taken: readonly LinePhrase[]): readonly LinePhrase[] =>
  taken.slice(taken.findLastIndex((phrase) => isMoment(phrase) || phrase.says.hour) + 1);

/** Phrases at the start count if a colon follows, if all are whole, or if they say a day and a time. */
function phrasesAtStart(line: string, phrases: readonly LinePhrase[]): readonly LinePhrase[] {
  const taken: LinePhrase[] = [];
  let at = line.search(/\S/);
  for (const phrase of phrases) {
    if (phrase.start !== at || phrase.manner === "offered" || !isFree(phrase, taken)) break;
    taken.push(phrase);
    at = phrase.end + (/^[\s,]*/.exec(line.slice(phrase.end))?.[0].length ?? 0);
  }
  const rest = line.slice(taken.at(-1)?.end ?? 0);
  const says = (field: keyof Said) => taken.some((phrase) => phrase.says[field] !== undefined);
  const isClear = taken.every(({ manner }) => manner === "whole" || manner === "mark");
  const isReminder = says("asksReminder") && /^\s*(?:to|that|about)\s/i.test(rest);
  const isRead =
    isReminder ||
    /^\s*(?:[:,]| [–-] )/.test(rest) ||
    isClear ||
    (says("hour") && (says("date") || says("rule")));
  return isRead && !taken.some((phrase) => isAlone(phrase, taken)) ? taken : [];
}

function startOfTitle(line: string, head: readonly LinePhrase[]): number {
  const end = head.at(-1)?.end ?? 0;
  const reminds = head.some(({ says }) => says.asksReminder || says.remindHour || says.remindBefore);
  const gap = /^[\s,;:)–-]*/.exec(line.slice(end))?.[0].length ?? 0;
  const to = reminds ? (/^(?:to|that|about)\s+/i.exec(line.slice(end + gap))?.[0].length ?? 0) : 0;
  return end + gap + to;
}

function phrasesWithin(
  line: string,
  from: number,
  phrases: readonly LinePhrase[],
  others: readonly LinePhrase[],
): readonly LinePhrase[] {
  const taken: LinePhrase[] = [];
  for (const phrase of phrases.toReversed()) {
    const next = taken[0]?.start;
    const behind = line.slice(phrase.end).trimStart();
    const isMark = phrase.manner === "mark";
    const isFollowed = isBefore(phrase, next, line);
    const isJoined = isFollowed || joining.test(behind);
    // `Meet Friday 3pm with Sam`, `Meet 3pm Friday with Sam`
    const isBeside =
      isFollowed || phrases.some((one) => one.says.hour !== undefined && isBefore(one, phrase.start, line));
    const isPhrase = phrase.manner === "whole" || (phrase.manner === "bare" && isBeside);
    const isTaken = isMark || (isPhrase && isJoined);
    const before = line.slice(from, phrase.start).trimEnd();
    if (!isTaken || dangling.test(before) || !isFree(phrase, [...others, ...taken])) continue;
    taken.unshift(phrase);
  }
  return taken;
}

const isBefore = ({ end }: LinePhrase, next: number | undefined, line: string): boolean =>
  next !== undefined && line.slice(end, next).trim() === "";

/** A phrase that was not taken becomes a question only at the ends of a line, where it is hardly part of a name. */
function isAtAnEnd(line: string, { start, end }: LinePhrase, phrases: readonly LinePhrase[]): boolean {
  const isTaken = (at: number) => phrases.some((phrase) => phrase.start <= at && at < phrase.end);
  const outside = (from: number, to: number) =>
    Array.from(line.slice(from, to)).every((sign, index) => /[\s.,;!?)]/.test(sign) || isTaken(from + index));
  return outside(0, start) || outside(end, line.length);
}

function titleOf(
  line: string,
  { start, end }: { start: number; end: number },
  middle: readonly LinePhrase[],
): string {
  let text = line.slice(0, end);
  for (const phrase of middle.toReversed())
    text = `${text.slice(0, phrase.start).trimEnd()} ${text.slice(phrase.end).trimStart()}`;
  return tidyTitle(text.slice(start).replace(/ (?=[,;:])/g, ""));
}

/** Trims spaces and commas from a title. The look-behind keeps a long row of commas from taking seconds. */
export const tidyTitle = (text: string): string =>
  text.replace(/\s+/g, " ").replace(/^[\s,;]+|(?<![\s,;])[\s,;]+$/g, "");

/**
 * The title if an offered phrase counted as well; the whole title if the words stay or the rest would make no
 * sense.
 */
export function titleWithout(line: string, { phrases }: Taken, asked: LinePhrase): string | undefined {
  if (asked.stays) return undefined;
  const { title, phrases: now } = take(line, [...phrases, { ...asked, manner: "whole" }]);
  return now.length > phrases.length ? title : undefined;
}
