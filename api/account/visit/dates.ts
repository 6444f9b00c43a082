import { dayNumber, localTime } from "../../../shared/domain/day.ts";

const dateFormat = { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" } as const;

/** A date as people say it on the given day: `Today`, `Tomorrow`, `Mon 23 Nov`, `Fri 1 Jan 2027`. */
export function sayDate(date: string, today: string): string {
  const near = { [-1]: "Yesterday", 0: "Today", 1: "Tomorrow" }[dayNumber(date) - dayNumber(today)];
  if (near !== undefined) return near;
  const isThisYear = date.slice(0, 4) === today.slice(0, 4);
  return new Date(date)
    .toLocaleDateString("en-GB", {
      ...dateFormat,
      ...(!isThisYear && { year: "numeric" }),
    })
    .replace(",", "");
}

/** A date with its year, because it may be read much later. */
export const sayFullDate = (date: string): string =>
  new Date(date).toLocaleDateString("en-GB", { ...dateFormat, year: "numeric" }).replace(",", "");

/** The date of an instant (RFC 3339) in a zone, as people say it on the given day. */
export const sayDay = (instant: string, timeZone: string, today: string): string =>
  sayDate(localTime(Date.parse(instant), timeZone).slice(0, 10), today);

/** `1 habit`, `2 habits`. */
export function countInWords(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
