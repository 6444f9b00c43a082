import { addDays } from "../../../../shared/domain/day/day.ts";
import { months, ordinals, partsOfDay, weekdays } from "../../../../shared/domain/todo/quick-add-words.ts";
import { comingDay, dayInMonth, later, nextDate, nextMonday, weekdayInMonth } from "./calendar.ts";
import type { Clock } from "./clock.ts";
import { type Reading, type Said, wordChoice } from "./phrase.ts";
import { dayCode, ruleOf } from "./repeat-rule.ts";
import { amount, spanOf } from "./spans.ts";

export type Groups = Readonly<Record<string, string | undefined>>;

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
export const dayForms: readonly DayForm[] = [
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
