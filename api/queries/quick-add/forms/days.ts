import { addDays, dayNumber, isoWeekday } from "../../../../shared/domain/day/day.ts";
import {
  months,
  numbers,
  ordinals,
  partsBehindDay,
  partsOfDay,
  weekdays,
  wordsOf,
} from "../../../../shared/domain/todo/quick-add-words.ts";
import { firstOccurrence, parseRule } from "../../../../shared/domain/todo/recurrence.ts";
import {
  amount,
  type Clock,
  comingDay,
  dayInMonth,
  type LinePhrase,
  later,
  nextDate,
  nextMonday,
  numberSaid,
  type Reading,
  type Recogniser,
  recognise,
  type Said,
  spanOf,
  wordChoice,
  wordsLike,
} from "./phrase.ts";
import { daysOfMonth } from "./repeat-days.ts";
import { ruleOf } from "./rule.ts";

type Groups = Readonly<Record<string, string | undefined>>;

/** A form of words for a day, and its meanings: the first possible one counts, and the others are asked. */
type DayForm = Readonly<{
  form: string;
  manner?: Reading["manner"];
  isAsked?: boolean;
  says(groups: Groups, clock: Clock): readonly (string | Said | undefined)[];
}>;

const month = wordChoice(months.keys());
const weekday = wordChoice(weekdays.keys());
const position = wordChoice(ordinals.keys());
const number = (name: string | undefined): number => weekdays.get(name?.toLowerCase() ?? "") ?? 1;
const endOfDay = "(?:the )?end of (?:the )?day|eod|cob|close of business";
const startOf = "(?:(?:the )?(?:start|beginning) of|early)";
const notWithin = "(?<!\\b(?:late|mid|middle of) )";
const endOfThis = "(?:the )?(?:end of|last day of)(?: the| this)?";
/** Easter Monday and a last Monday are no Mondays that Kept can tell. */
const notNamed =
  "(?<!\\b(?:easter|good|black|cyber|ash|palm|shrove|giving|holiday|week|first|second|third|fourth|fifth|last|other) )";
/** A weekday that a date may repeat. */
const itsDay = `(?:(?:${weekday}),? )?`;

/** A year of two digits is none that an hour or minutes could be. */
const itsYear = "(?:,? (?<year>\\d{4})|,? '?(?<year>2[5-9])(?! ?(?:h|m)))?";

/** The forms of days. `wd` is a weekday. */
const dayForms: readonly DayForm[] = [
  { form: `today|tod|(?<!\\bfrom )now(?=\\W*$)|${endOfDay}`, says: (_, { today }) => [today] },
  { form: "tomorrow|tmrw?|2moro|tomm?orr?ow", says: (_, { today }) => [addDays(today, 1)] },
  { form: "(?:the )?day after tomorrow", says: (_, { today }) => [addDays(today, 2)] },
  {
    form: "tonight|this (?<when>morning|afternoon|evening)",
    says: ({ when = "evening" }, { today }) => [{ date: today, part: partsOfDay.get(when.toLowerCase()) }],
  },
  {
    form: `${notNamed}(?<wd>${weekday})`,
    manner: "bare",
    says: ({ wd }, { today }) => [comingDay(number(wd), today)],
  },
  { form: `(?:this|coming) (?<wd>${weekday})`, says: ({ wd }, { today }) => [comingDay(number(wd), today)] },
  {
    form: `next (?<wd>${weekday})`,
    says: ({ wd }, { today }) => [dayOfNextWeek(number(wd), today), comingDay(number(wd), today)],
  },
  { form: `(?<wd>${weekday}) next week`, says: ({ wd }, { today }) => [dayOfNextWeek(number(wd), today)] },
  {
    form: `next week,? (?:on )?(?<wd>${weekday})`,
    says: ({ wd }, { today }) => [dayOfNextWeek(number(wd), today)],
  },
  {
    form: `(?:in|within) ${amount}(?:['’]? time| or so)?|(?:in )?${amount} from now|\\+${amount}`,
    says: ({ many, unit }, { today }) => [later(today, spanOf(many, unit))],
  },
  {
    form: "(?:in|within) (?<many>\\d{1,2}|an?|one|two|three|four|five) (?:business|work|working) days?",
    says: ({ many }, { today }) => [workingDay(today, numberSaid(many))],
  },
  {
    form: "in a few (?<unit>day|week|month)s",
    manner: "offered",
    says: ({ unit }, { today }) => [later(today, spanOf("3", unit))],
  },
  { form: `(?<wd>${weekday}) week`, says: ({ wd }, { today }) => [addDays(comingDay(number(wd), today), 7)] },
  {
    form: `(?:the )?(?<wd>${weekday}) after next`,
    says: ({ wd }, { today }) => [7, 14].map((days) => addDays(comingDay(number(wd), today), days)),
  },
  { form: "(?:the )?week after next", says: (_, { today }) => [addDays(nextMonday(today), 7)] },
  { form: `${notWithin}(?:${startOf} )?next (?:week|wk)`, says: (_, { today }) => [nextMonday(today)] },
  { form: `${notWithin}(?:${startOf} )?next month`, says: (_, { today }) => [dayInMonth(today, 1, 1)] },
  { form: "next year", says: (_, { today }) => [nextDate({ day: 1, month: "1" }, addDays(today, 1))] },
  {
    form: "this weekend|(?:on|over|at) the weekend",
    says: (_, { today }) => [comingDay(6, addDays(today, -1))],
  },
  { form: "next weekend", says: (_, { today }) => [addDays(nextMonday(today), 5)] },
  {
    form: `${endOfThis} week|eow`,
    says: (_, { today }) => [5, 7].map((day) => comingDay(day, addDays(today, -1))),
  },
  { form: `${endOfThis} month|eom`, says: (_, { today }) => [dayInMonth(today, 0, 31)] },
  { form: "(?:the )?end of next month", says: (_, { today }) => [dayInMonth(today, 1, 31)] },
  { form: `${endOfThis} year|eoy`, says: (_, { today }) => [nextDate({ day: 31, month: "12" }, today)] },
  {
    form: `(?:the )?end of (?<month>${month})`,
    says: ({ month: name }, { today }) => [
      endOfMonth(nextDate({ day: 1, month: name }, dayInMonth(today, 0, 1))),
    ],
  },
  {
    form: "(?:the )?end of next week",
    says: (_, { today }) => [5, 7].map((day) => dayOfNextWeek(day, today)),
  },
  {
    form: `mid[ -](?<month>${month})`,
    says: (groups, { today }) => [nextDate({ ...groups, day: 15 }, today)],
  },
  {
    form: `(?:in|by) (?<month>${month})`,
    manner: "offered",
    says: (groups, { today }) => [nextDate({ ...groups, day: 1 }, today)],
  },
  {
    form: `${itsDay}(?:the )?(?<day>\\d{1,2})(?:st|nd|rd|th)?(?: of)? (?<month>${month})${itsYear}`,
    says: dated,
  },
  {
    // In "7 Dec 9 am" the number before the month is its day.
    form: `${itsDay}(?<!\\b\\d{1,2}(?:st|nd|rd|th)?(?: of)? )(?<month>${month})\\.? (?:the )?(?<day>\\d{1,2})(?:st|nd|rd|th)?${itsYear}`,
    says: dated,
  },
  { form: `${itsDay}(?<year>\\d{4})(?<sign>[-/])(?<month>\\d{1,2})\\k<sign>(?<day>\\d{1,2})`, says: dated },
  { form: `${itsDay}(?<day>\\d{1,2})\\.(?<month>\\d{1,2})\\.(?<year>\\d{4}|\\d{2})?`, says: dated },
  {
    form: `${itsDay}(?<day>\\d{1,2})/(?<month>\\d{1,2})(?<year>/(?:\\d\\d)?\\d\\d)?`,
    manner: "beside",
    isAsked: true,
    says: ({ day, month: second, year }, { today, timeZone }) => {
      const isAmerican = timeZone.startsWith("America/");
      const both = [
        nextDate({ day: Number(day), month: second, year: year?.slice(1) }, today),
        nextDate({ day: Number(second), month: day, year: year?.slice(1) }, today),
      ];
      return isAmerican ? both.toReversed() : both;
    },
  },
  {
    form: `${itsDay}(?:the )?(?<day>\\d{1,2})(?:st|nd|rd|th)(?! of)`,
    manner: "bare",
    isAsked: false,
    says: dated,
  },
  {
    form: `(?:the )?(?<days>(?:${position}|\\d{1,2}(?:st|nd|rd|th))(?: [\\p{L}\\p{N}&]+){0,4}?) (?:of|in) (?:(?:(?<which>the|this|next) )?month|(?<month>${month}))`,
    says: ofMonth,
  },
];

/** `last Friday of the month`, `5th of next month`, `2nd Sunday in May`: one day, or several, which repeat. */
function ofMonth({ days: text = "", which, month: name = "" }: Groups, { today }: Clock): readonly Said[] {
  const words = wordsOf(text);
  const [read, end] = daysOfMonth(words, 0) ?? [];
  if (!read || end !== words.length) return [];
  const named = months.get(name.toLowerCase());
  const parsed = parseRule(ruleOf({ ...read, ...(named && { months: [named] }) }));
  if ("error" in parsed) return [];
  const { rule } = parsed;
  const isNext = which?.toLowerCase() === "next";
  const date = firstOccurrence(rule, isNext ? dayInMonth(today, 1, 1) : today) ?? undefined;
  const isOne = read.monthDays?.length === 1 || read.days?.length === 1 || read.positions?.length === 1;
  return isNext ? [{ date }] : isOne ? [{ date }, { rule }] : [{ rule }, { date }];
}

function workingDay(today: string, many: number): string {
  const next = addDays(today, 1);
  if (many === 0) return today;
  return workingDay(next, isoWeekday(dayNumber(next)) > 5 ? many : many - 1);
}

const endOfMonth = (date: string | undefined) => date && dayInMonth(date, 0, 31);

function dated({ day, month: name, year }: Groups, { today }: Clock): readonly (string | undefined)[] {
  return [nextDate({ day: Number(day), month: name, year }, today)];
}

const dayOfNextWeek = (weekdayNumber: number, today: string): string =>
  addDays(nextMonday(today), weekdayNumber - 1);

const lead =
  "due by|due on|due|on or before|on/before|no later than|by|on|(?<!\\b(?:days?|nights?|weeks?|months?|years?|\\d*h|hours?|min(?:ute)?s?) )(?:before|after)|starting on|starting from|starting|beginning|from|until|till|through|ending";
const part = wordChoice(partsBehindDay.keys());

/** Days of every year: name, month, day. */
const holidays = new Map<string, readonly [month: number, day: number]>([
  ...["christmas eve", "xmas eve"].map((name) => [name, [12, 24]] as const),
  ...["christmas day", "christmas", "xmas"].map((name) => [name, [12, 25]] as const),
  ...["new year's eve", "new year’s eve", "new years eve"].map((name) => [name, [12, 31]] as const),
  ...["new year's day", "new year’s day", "new years day"].map((name) => [name, [1, 1]] as const),
  ...["valentine's day", "valentine’s day", "valentines day"].map((name) => [name, [2, 14]] as const),
  ["halloween", [10, 31]],
]);

const holiday: Recogniser = {
  pattern: wordsLike(
    `(?:(?:(?<every>every|each)|(?<lead>${lead}|at)) )?(?<name>${wordChoice(holidays.keys())})`,
  ),
  read({ groups = {} }, { today }) {
    const [month = 0, day = 0] = holidays.get(groups.name?.toLowerCase() ?? "") ?? [];
    const rule = ruleOf({ freq: "YEARLY", monthDays: [day], months: [month] });
    if (groups.every) return { says: { rule }, manner: "whole" };
    const date = nextDate({ day, month: String(month) }, today);
    return date === undefined ? undefined : led({ date }, groups, { manner: "bare", isAsked: true });
  },
};

const dayPhrases: readonly Recogniser[] = [
  holiday,
  ...dayForms.map(
    ({ form, manner = "whole", isAsked, says }): Recogniser => ({
      pattern: wordsLike(
        `(?:(?<lead>${lead}) )?(?:(?:${endOfDay}|(?<first>first thing)) (?:on )?)?(?:${form})(?: (?<part>${part}))?`,
      ),
      read({ groups = {}, 0: text }, clock) {
        const partName = groups.part ?? (groups.first && "morning");
        const [first, ...others] = says(groups, clock).flatMap((one) => {
          const said: Said = typeof one === "string" ? { date: one } : (one ?? {});
          return Object.keys(said).length === 0 ? [] : [withPart(said, partName)];
        });
        if (!first) return undefined;
        const isClear = manner === "beside" && (others.length === 0 || groups.year !== undefined);
        const reading = led(first, groups, { manner: isClear ? "bare" : manner, or: others });
        return { ...reading, isAsked: isAsked ?? (manner === "offered" || isLongName(text)) };
      },
    }),
  ),
];

const unitAlone = `(?:the )?(?<unit>day|week|month|year|${weekday})`;
const side = `(?: (?<side>before|after|from)|(?: on)?(?= (?:${weekday}|today|tomorrow)\\b))`;
const distance = wordsLike(
  `(?<!\\b(?:every|each|other|last|next|this|\\d+|${wordChoice(numbers.keys())}) )(?:${amount}|${unitAlone})${side}`,
);

/** `2 days before Christmas`, `3 weeks from today`. `A week on Friday` may be this Friday as well. */
function distantDays(line: string, clock: Clock): readonly LinePhrase[] {
  return Array.from(line.matchAll(distance)).flatMap(({ 0: text, index, groups = {} }): LinePhrase[] => {
    const start = index + text.length + 1;
    const [day] = recognise(dayPhrases, line.slice(start), clock).filter((one) => one.start === 0);
    const isOn = groups.side === undefined;
    if (!day?.says.date || (isOn && !/^(\w+ )+(week|fortnight)s?\b/i.test(text))) return [];
    const [says = {}, ...or] = [day.says, ...(day.or ?? [])].map(
      (one): Said => ({ ...one, date: one.date && distantDay(one.date, groups) }),
    );
    return [{ says, or: isOn ? [...or, day.says] : or, manner: "whole", start: index, end: start + day.end }];
  });
}

function distantDay(date: string, { many = "a", unit = "", side: where = "" }: Groups): string {
  const isBefore = /before/i.test(where);
  const day = weekdays.get(unit.toLowerCase());
  if (day) return comingDay(day, isBefore ? addDays(date, -8) : date);
  const span = Temporal.Duration.from(spanOf(many, unit));
  return later(date, isBefore ? span.negated() : span);
}

/** Phrases of days, with the word before them and the part of the day after them. */
export const dayPhrasesIn = (line: string, clock: Clock): readonly LinePhrase[] => [
  ...distantDays(line, clock),
  ...recognise(dayPhrases, line, clock),
];

/** Short names such as `sun` and `mon` are ordinary words as well. */
const isLongName = (text: string): boolean => text.length > 4;

const withPart = (said: Said, name: string | undefined): Said =>
  name === undefined ? said : { ...said, part: partsBehindDay.get(name.toLowerCase()) };

/** The meaning that a word before a day gives it: `before Friday` is Thursday, `until Friday` ends a repetition. */
function led(
  { date, ...said }: Said,
  { lead: word = "", part: of }: Groups,
  reading: Omit<Reading, "says">,
): Reading {
  const kind = word.toLowerCase();
  const manner = (kind !== "" || of !== undefined) && reading.manner !== "offered" ? "whole" : reading.manner;
  const or = (reading.or ?? []).filter((other) => other.date !== date);
  if (date === undefined) return { ...reading, manner, or, says: said };
  if (/^(until|till|through|ending)$/.test(kind))
    return { ...reading, manner, or: [], says: { until: date } };
  const shift = kind === "before" ? -1 : kind === "after" ? 1 : 0;
  return { ...reading, manner, or, says: { ...said, date: addDays(date, shift) } };
}
