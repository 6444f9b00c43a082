import { dayNumber } from "./day.ts";

const dateFormat = { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" } as const;
/**
 * Formats are made once: making one takes fifty times as long as using it, and a page of actions has hundreds of dates.
 */
const formatOfThisYear = new Intl.DateTimeFormat("en-GB", dateFormat);
const formatWithYear = new Intl.DateTimeFormat("en-GB", { ...dateFormat, year: "numeric" });

/** A date without words for near days, for dates in the past or in a log: `Mon 23 Nov`, `Fri 1 Jan 2027`. */
export function sayDated(date: string, today: string): string {
  const isThisYear = date.slice(0, 4) === today.slice(0, 4);
  return (isThisYear ? formatOfThisYear : formatWithYear).format(new Date(date)).replace(",", "");
}

const weekdayFormat = new Intl.DateTimeFormat("en-GB", { weekday: "long", timeZone: "UTC" });

/** A coming date within a sentence: `today`, `tomorrow`, in the next six days `Monday`, later `Mon 30 Nov`. */
export function sayUntil(date: string, today: string): string {
  const days = dayNumber(date) - dayNumber(today);
  if (days === 0 || days === 1) return days === 0 ? "today" : "tomorrow";
  return days > 1 && days < 7 ? weekdayFormat.format(new Date(date)) : sayDated(date, today);
}
