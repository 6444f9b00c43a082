import { isCalendarDate } from "../../../../../shared/contracts/kernel/text.ts";
import { addDays, dayNumber, isoWeekday } from "../../../../../shared/domain/day/day.ts";
import type { TimeOfDay } from "../../../../../shared/domain/vocabulary.ts";

/** A due date as Todoist writes it in English. */
export type WrittenDate = Readonly<{
  due_date: string | null;
  recurrence: string | null;
  recurrence_from: "due" | "completion";
  time_of_day: TimeOfDay | null;
}>;

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const weekdays = ["mo", "tu", "we", "th", "fr", "sa", "su"];
const units: Readonly<Record<string, string>> = {
  day: "DAILY",
  week: "WEEKLY",
  month: "MONTHLY",
  year: "YEARLY",
};

/** Adverbs that name a repetition. */
const adverbs: Readonly<Record<string, string>> = {
  daily: "day",
  weekly: "week",
  monthly: "month",
  quarterly: "3 months",
  yearly: "year",
};

/** @returns undefined for an unusual way to write a date */
export function readTodoistDate(written: string, today: string): WrittenDate | undefined {
  const { text: plain, time_of_day } = withoutTime(written.trim().toLowerCase());
  const text = plain.replace(/^[a-z]+(?=$| )/, (word) => (adverbs[word] ? `every ${adverbs[word]}` : word));
  const repeat = /^every(!?) (.+)$/.exec(text);
  if (!repeat) {
    const due_date = readDate(text, today);
    return due_date === undefined
      ? undefined
      : { due_date, recurrence: null, recurrence_from: "due", time_of_day };
  }
  const [, mark = "", rest = ""] = repeat;
  const [rule = "", from] = rest.split(/ (?:starting|from) /);
  const recurrence = readRule(rule, today);
  const due_date = from === undefined ? null : readDate(from, today);
  if (recurrence === undefined || due_date === undefined) return undefined;
  return { due_date, recurrence, recurrence_from: mark === "!" ? "completion" : "due", time_of_day };
}

/** Turns a time into a part of the day, because Kept has no times for todos. */
function withoutTime(text: string): Readonly<{ text: string; time_of_day: TimeOfDay | null }> {
  const found = /^(.*?)(?:^| )(?:at )?(?:(\d{1,2}):(\d{2}) ?(am|pm)?|(\d{1,2}) ?(am|pm))$/.exec(text);
  if (!found) return { text, time_of_day: null };
  const [, before = "", clock, , clockHalf, hour, half = clockHalf] = found;
  const number = (Number(clock ?? hour) % (half ? 12 : 24)) + (half === "pm" ? 12 : 0);
  const part = number < 12 ? "morning" : number < 18 ? "afternoon" : "evening";
  return { text: before.trim() || "today", time_of_day: part };
}

function readDate(text: string, today: string): string | undefined {
  if (text === "today") return today;
  if (text === "tomorrow") return addDays(today, 1);
  const weekday = weekdayIn(text);
  if (weekday !== undefined) return nextWeekday(weekday, today);
  const [iso] = /^\d{4}-\d{2}-\d{2}(?=$|t)/.exec(text) ?? [];
  if (iso !== undefined) return isCalendarDate(iso) ? iso : undefined;
  const [, first, name = "", second, year] =
    /^(?:(\d{1,2})(?:st|nd|rd|th)? )?([a-z]+)\.?(?: (\d{1,2})(?:st|nd|rd|th)?)?(?:,? (\d{4}))?$/.exec(text) ??
    [];
  const month = months.indexOf(name.slice(0, 3)) + 1;
  if (month === 0 || (first === undefined) === (second === undefined)) return undefined;
  return dateOf(year, month, Number(first ?? second), today);
}

/** A date without a year is the next one. */
function dateOf(year: string | undefined, month: number, day: number, today: string): string | undefined {
  const inYear = (one: number) =>
    `${String(one).padStart(4, "0")}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
  const present = Number(today.slice(0, 4));
  const candidates = year === undefined ? [inYear(present), inYear(present + 1)] : [inYear(Number(year))];
  return candidates.find((date) => isCalendarDate(date) && (year !== undefined || date >= today));
}

const weekdayIn = (text: string): number | undefined => {
  const isOne = /^(mon|tues?|wed(nes)?|thu(rs?)?|fri|sat(ur)?|sun)(days?)?$/.test(text);
  return isOne ? weekdays.indexOf(text.slice(0, 2)) + 1 : undefined;
};

function nextWeekday(weekday: number, today: string): string {
  const ahead = (weekday - isoWeekday(dayNumber(today)) + 7) % 7;
  return addDays(today, ahead);
}

/** The RRULE for the text after `every`. */
function readRule(text: string, today: string): string | undefined {
  if (/^(week|work)days?$/.test(text)) return "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR";
  if (/^weekends?$/.test(text)) return "FREQ=WEEKLY;BYDAY=SA,SU";
  const [, count = "", unit] = /^(?:(other|\d{1,3}) )?(day|week|month|year)s?$/.exec(text) ?? [];
  const interval = count === "other" ? "2" : count;
  if (unit) return `FREQ=${units[unit]}${interval === "" || interval === "1" ? "" : `;INTERVAL=${interval}`}`;
  const days = text.split(/, ?| and | /).map(weekdayIn);
  if (days.every((day) => day !== undefined))
    return `FREQ=WEEKLY;BYDAY=${days.map((day) => weekdays[day - 1]?.toUpperCase()).join(",")}`;
  const [, monthDay] = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(text) ?? [];
  if (monthDay) return `FREQ=MONTHLY;BYMONTHDAY=${Number(monthDay)}`;
  if (/^last day$/.test(text)) return "FREQ=MONTHLY;BYMONTHDAY=-1";
  const date = readDate(text, today);
  return date && `FREQ=YEARLY;BYMONTHDAY=${Number(date.slice(8))};BYMONTH=${Number(date.slice(5, 7))}`;
}
