import { dayNumber, localTime } from "../../../../shared/domain/day/day.ts";

const dateFormat = { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" } as const;
/**
 * Formats are made once: making one takes fifty times as long as using it, and a page of actions has hundreds of dates.
 */
const formatOfThisYear = new Intl.DateTimeFormat("en-GB", dateFormat);
const formatWithYear = new Intl.DateTimeFormat("en-GB", { ...dateFormat, year: "numeric" });

/** A date as people say it on the given day: `Today`, `Tomorrow`, `Mon 23 Nov`, `Fri 1 Jan 2027`. */
export function sayDate(date: string, today: string): string {
  const near = { [-1]: "Yesterday", 0: "Today", 1: "Tomorrow" }[dayNumber(date) - dayNumber(today)];
  if (near !== undefined) return near;
  return sayDated(date, today);
}

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

/** A wall time such as `2026-11-23T09:00:00`, as `Mon 23 Nov 09:00`; seconds only if they are not zero. */
export const sayWallTime = (wallTime: string, today: string): string =>
  `${sayDated(wallTime.slice(0, 10), today)} ${wallTime.slice(11, 19).replace(/:00$/, "")}`;

/** The date of an instant (RFC 3339) in a zone, as people say it on the given day. */
export const sayDay = (instant: string, timeZone: string, today: string): string =>
  sayDate(localTime(Date.parse(instant), timeZone).slice(0, 10), today);

/** `1 habit`, `2 habits`. */
export function countInWords(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
