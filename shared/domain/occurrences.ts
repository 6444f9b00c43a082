import { dayNumber, isoWeekday, msPerDay, weekStart } from "./day.ts";
import { weekdays } from "./recurrence-rule.ts";

/** A numbered weekday of a month or year, from its end if negative; number 0 is every such weekday. */
type Weekday = Readonly<{ number: number; weekday: number }>;

type Rule = Readonly<{
  freq: string;
  interval: number;
  byDay: readonly Weekday[] | undefined;
  byMonthDay: readonly number[] | undefined;
}>;

/** A day number with the month it is in, in months since the year 0. */
type Anchor = Readonly<{ day: number; month: number; dayOfMonth: number }>;

/** A search in vain ends here: a month's 31st every 12 months from June, say. The calendar repeats after 400 years. */
const maxPeriods = { DAILY: 4_000, others: 1_000 };
const lastDay = dayNumber("9999-12-31");

/**
 * The days on which a normalised rule begun at `anchorDate` falls, in order, on or after both days, as day numbers.
 * Whole numbers instead of calendar objects: a library's steps cost microseconds, and whoever makes a todo chooses
 * how many it takes. UNTIL and COUNT are the caller's.
 */
export function* occurrences(text: string, anchorDate: string, fromDay: number): Generator<number> {
  const rule = readRule(text);
  const anchor = anchorOn(dayNumber(anchorDate));
  const from = Math.max(anchor.day, fromDay);
  const first = Math.floor(periodsUntil(rule, anchor, anchorOn(from)) / rule.interval);
  const end = first + (rule.freq === "DAILY" ? maxPeriods.DAILY : maxPeriods.others);
  for (let period = first; period < end; period++) {
    const later = period * rule.interval;
    if (startOf(rule, anchor, later) > lastDay) return;
    for (const day of daysOf(rule, anchor, later)) if (day >= from && day <= lastDay) yield day;
  }
}

function readRule(text: string): Rule {
  const parts = new Map(text.split(";").map((part) => part.split("=") as [string, string]));
  return {
    freq: parts.get("FREQ") ?? "",
    interval: Number(parts.get("INTERVAL") ?? 1),
    byDay: parts.get("BYDAY")?.split(",").map(readWeekday),
    byMonthDay: parts.get("BYMONTHDAY")?.split(",").map(Number),
  };
}

const readWeekday = (text: string): Weekday => ({
  number: Number.parseInt(text, 10) || 0,
  weekday: weekdays.indexOf(text.slice(-2)) + 1,
});

function anchorOn(day: number): Anchor {
  const date = new Date(day * msPerDay);
  return { day, month: date.getUTCFullYear() * 12 + date.getUTCMonth(), dayOfMonth: date.getUTCDate() };
}

function periodsUntil({ freq }: Rule, anchor: Anchor, to: Anchor): number {
  if (freq === "DAILY") return to.day - anchor.day;
  if (freq === "WEEKLY") return (weekStart(to.day) - weekStart(anchor.day)) / 7;
  if (freq === "MONTHLY") return to.month - anchor.month;
  return yearOf(to.month) - yearOf(anchor.month);
}

/** The first day of the period that lies so many days, weeks, months or years after the anchor's. */
function startOf({ freq }: Rule, anchor: Anchor, later: number): number {
  if (freq === "DAILY") return anchor.day + later;
  if (freq === "WEEKLY") return weekStart(anchor.day) + 7 * later;
  if (freq === "MONTHLY") return firstDay(anchor.month + later);
  return firstDay((yearOf(anchor.month) + later) * 12);
}

/** The days of the period that lies so many days, weeks, months or years after the anchor's, in order. */
function daysOf(rule: Rule, anchor: Anchor, later: number): number[] {
  if (rule.freq === "DAILY") return [anchor.day + later].filter((day) => isDaily(rule, day));
  if (rule.freq === "WEEKLY") {
    const days = rule.byDay?.map(({ weekday }) => weekday) ?? [isoWeekday(anchor.day)];
    return days.map((weekday) => weekStart(anchor.day) + 7 * later + weekday - 1);
  }
  if (rule.freq === "MONTHLY") return daysOfMonth(rule, anchor.month + later, anchor.dayOfMonth);
  return daysOfYear(rule, anchor, yearOf(anchor.month) + later);
}

function isDaily({ byDay, byMonthDay }: Rule, day: number): boolean {
  if (byDay && !byDay.some(({ weekday }) => weekday === isoWeekday(day))) return false;
  if (!byMonthDay) return true;
  const { month, dayOfMonth } = anchorOn(day);
  return byMonthDay.includes(dayOfMonth) || byMonthDay.includes(dayOfMonth - lengthOf(month) - 1);
}

/** Without BYDAY and BYMONTHDAY it is the day of the month on which the series began. */
function daysOfMonth({ byDay, byMonthDay }: Rule, month: number, begunOn: number): number[] {
  const first = firstDay(month);
  const length = lengthOf(month);
  const days = byMonthDay?.map((day) => (day > 0 ? day : length + 1 + day)) ?? (byDay ? allDays : [begunOn]);
  const existing = days.filter((day) => day >= 1 && day <= length);
  const found = byDay
    ? existing.filter((day) => byDay.some((one) => isNumbered(one, isoWeekday(first + day - 1), day, length)))
    : existing;
  return inOrder(found).map((day) => first + day - 1);
}

const allDays = Array.from({ length: 31 }, (_, index) => index + 1);

const inOrder = (days: number[]): number[] =>
  days.length < 2 ? days : [...new Set(days)].sort((one, other) => one - other);

function isNumbered({ number, weekday }: Weekday, actual: number, day: number, length: number): boolean {
  if (weekday !== actual) return false;
  return number === 0 || number === Math.ceil(day / 7) || -number === Math.ceil((length - day + 1) / 7);
}

/** Numbered weekdays count in the year; anything else is looked for in its months. */
function daysOfYear(rule: Rule, anchor: Anchor, year: number): number[] {
  const january = year * 12;
  if (!rule.byDay && !rule.byMonthDay)
    return daysOfMonth(rule, january + (anchor.month % 12), anchor.dayOfMonth);
  if (rule.byDay?.some(({ number }) => number !== 0)) {
    return inOrder(rule.byDay.map((one) => weekdayOfYear(one, firstDay(january), firstDay(january + 12))));
  }
  return Array.from({ length: 12 }, (_, month) => daysOfMonth(rule, january + month, 0)).flat();
}

/** Every year has 52 of each weekday, and a rule's numbers go no further. */
function weekdayOfYear({ number, weekday }: Weekday, first: number, nextFirst: number): number {
  if (number > 0) return first + ((weekday - isoWeekday(first) + 7) % 7) + 7 * (number - 1);
  const last = nextFirst - 1;
  return last - ((isoWeekday(last) - weekday + 7) % 7) + 7 * (number + 1);
}

const yearOf = (month: number): number => Math.floor(month / 12);

const lengthOf = (month: number): number => firstDay(month + 1) - firstDay(month);

/** The day number of a month's first day, in a year that begins with March, so that its leap day is its last. */
function firstDay(month: number): number {
  const year = yearOf(month - 2);
  const sinceMarch = month - 2 - year * 12;
  const leapDays = Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400);
  return 365 * year + leapDays + Math.floor((153 * sinceMarch + 2) / 5) - daysBefore1970;
}

/** From 1 March of the year 0. */
const daysBefore1970 = 719_468;
