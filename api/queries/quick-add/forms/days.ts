import { addDays } from "../../../../shared/domain/day/day.ts";
import { months, ordinals, partsOfDay, weekdays } from "../../../../shared/domain/todo/quick-add-words.ts";
import {
  amount,
  type Clock,
  comingDay,
  dayInMonth,
  later,
  nextDate,
  nextMonday,
  type Reading,
  type Recogniser,
  type Said,
  spanOf,
  weekdayInMonth,
  wordChoice,
  wordsLike,
} from "./phrase.ts";
import { dayCode, ruleOf } from "./rule.ts";

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
const endOfThis = "(?:the )?(?:end of|last day of)(?: the| this)?";

/** The forms of days. `wd` is a weekday. */
const dayForms: readonly DayForm[] = [
  { form: "today|tod|now(?=\\W*$)|eod|cob|(?:the )?end of (?:the )?day", says: (_, { today }) => [today] },
  { form: "tomorrow|tmrw?|2moro|tomm?orr?ow", says: (_, { today }) => [addDays(today, 1)] },
  { form: "(?:the )?day after tomorrow", says: (_, { today }) => [addDays(today, 2)] },
  {
    form: "tonight|this (?<when>morning|afternoon|evening)",
    says: ({ when = "evening" }, { today }) => [{ date: today, part: partsOfDay.get(when.toLowerCase()) }],
  },
  { form: `(?<wd>${weekday})`, manner: "bare", says: ({ wd }, { today }) => [comingDay(number(wd), today)] },
  { form: `(?:this|coming) (?<wd>${weekday})`, says: ({ wd }, { today }) => [comingDay(number(wd), today)] },
  {
    form: `next (?<wd>${weekday})`,
    says: ({ wd }, { today }) => [dayOfNextWeek(number(wd), today), comingDay(number(wd), today)],
  },
  { form: `(?<wd>${weekday}) next week`, says: ({ wd }, { today }) => [dayOfNextWeek(number(wd), today)] },
  {
    form: `(?:in|within) ${amount}|(?:in )?${amount} from now|\\+${amount}`,
    says: ({ many, unit }, { today }) => [later(today, spanOf(many, unit))],
  },
  { form: "next week", says: (_, { today }) => [nextMonday(today)] },
  { form: "next month", says: (_, { today }) => [dayInMonth(today, 1, 1)] },
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
      [31, 30, 29, 28].map((day) => nextDate({ day, month: name }, today)).find(Boolean),
    ],
  },
  {
    form: `mid[ -](?<month>${month})`,
    says: (groups, { today }) => [nextDate({ ...groups, day: 15 }, today)],
  },
  {
    form: `in (?<month>${month})`,
    manner: "offered",
    says: (groups, { today }) => [nextDate({ ...groups, day: 1 }, today)],
  },
  {
    form: `(?:(?:${weekday}),? )?(?:the )?(?<day>\\d{1,2})(?:st|nd|rd|th)?(?: of)? (?<month>${month})(?:,? (?<year>\\d{4}))?`,
    says: dated,
  },
  {
    form: `(?:(?:${weekday}),? )?(?<month>${month})\\.? (?:the )?(?<day>\\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>\\d{4}))?`,
    says: dated,
  },
  { form: "(?<year>\\d{4})(?<sign>[-/])(?<month>\\d{1,2})\\k<sign>(?<day>\\d{1,2})", says: dated },
  { form: "(?<day>\\d{1,2})\\.(?<month>\\d{1,2})\\.(?<year>\\d{4}|\\d{2})?", says: dated },
  {
    form: "(?<day>\\d{1,2})/(?<month>\\d{1,2})(?<year>/\\d{4})?",
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
  { form: "(?:the )?(?<day>\\d{1,2})(?:st|nd|rd|th)(?! of)", manner: "bare", isAsked: false, says: dated },
  {
    form: `(?:the )?(?<position>${position}|[1-5](?:st|nd|rd|th)) (?<wd>${weekday}) of (?<which>the|this|next) month`,
    says: ({ position: at = "", wd, which }, { today }) => {
      const which_one = ordinals.get(at.toLowerCase()) ?? Number.parseInt(at, 10);
      const ahead = which?.toLowerCase() === "next" ? 1 : 0;
      const dates = [ahead, ahead + 1].map((months) => weekdayInMonth(today, months, which_one, number(wd)));
      const rule = ruleOf({ freq: "MONTHLY", days: [`${which_one}${dayCode(number(wd))}`] });
      return [dates.find((date) => date >= today), ...(ahead === 0 ? [{ rule }] : [])];
    },
  },
];

function dated({ day, month: name, year }: Groups, { today }: Clock): readonly (string | undefined)[] {
  return [nextDate({ day: Number(day), month: name, year }, today)];
}

const dayOfNextWeek = (weekdayNumber: number, today: string): string =>
  addDays(nextMonday(today), weekdayNumber - 1);

const lead =
  "due by|due on|due|by|on|before|after|starting on|starting from|starting|beginning|from|until|till|through|ending";
const part = wordChoice(partsOfDay.keys());

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
  pattern: wordsLike(`(?:(?<lead>${lead}|at) )?(?<name>${wordChoice(holidays.keys())})`),
  read({ groups = {} }, { today }) {
    const [month, day = 0] = holidays.get(groups.name?.toLowerCase() ?? "") ?? [];
    const date = nextDate({ day, month: String(month) }, today);
    return date === undefined ? undefined : led({ date }, groups, { manner: "bare", isAsked: true });
  },
};

/** Phrases of days, with the word before them and the part of the day after them. */
export const days: readonly Recogniser[] = [
  holiday,
  ...dayForms.map(
    ({ form, manner = "whole", isAsked, says }): Recogniser => ({
      pattern: wordsLike(
        `(?:(?<lead>${lead}) )?(?:(?:the )?(?:end of day|eod|cob) (?:on )?)?(?:${form})(?: (?<part>${part}))?`,
      ),
      read({ groups = {}, 0: text }, clock) {
        const [first, ...others] = says(groups, clock).flatMap((one) => {
          const said: Said = typeof one === "string" ? { date: one } : (one ?? {});
          return Object.keys(said).length === 0 ? [] : [withPart(said, groups.part)];
        });
        if (!first) return undefined;
        const isClear = manner === "beside" && (others.length === 0 || groups.year !== undefined);
        const reading = led(first, groups, { manner: isClear ? "bare" : manner, or: others });
        return { ...reading, isAsked: isAsked ?? (manner === "offered" || isLongName(text)) };
      },
    }),
  ),
];

/** Short names such as `sun` and `mon` are ordinary words as well. */
const isLongName = (text: string): boolean => text.length > 4;

const withPart = (said: Said, name: string | undefined): Said =>
  name === undefined ? said : { ...said, part: partsOfDay.get(name.toLowerCase()) };

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
