import { dayNumber, localTime } from "../../../../shared/domain/day/day.ts";
import { sayClock, sayDated } from "../../../../shared/domain/day/say-date.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { locale } from "../../../web/locale.ts";

/** A date as people say it on the given day: `Today`, `Tomorrow`, `Mon 23 Nov`, `Fri 1 Jan 2027`. */
export function sayDate(date: string, today: string): string {
  const near = { [-1]: "Yesterday", 0: "Today", 1: "Tomorrow" }[dayNumber(date) - dayNumber(today)];
  if (near !== undefined) return near;
  return sayDated(date, today, locale());
}

/** A due date with its time if it has one: `Tomorrow 14:30`. */
export function sayDue(due: Readonly<{ due_date: string | null; due_time: string | null }>, today: string) {
  if (due.due_date === null) return null;
  const date = sayDate(due.due_date, today);
  return due.due_time === null ? date : `${date} ${sayTime(due.due_time)}`;
}

/** A wall time such as `2026-11-23T09:00:00`, as `Mon 23 Nov 09:00`; seconds only if they are not zero. */
export const sayWallTime = (wallTime: string, today: string): string =>
  `${sayDated(wallTime.slice(0, 10), today, locale())} ${sayTime(wallTime.slice(11, 19).replace(/:00$/, ""))}`;

/** A time of day as the browser's language writes it. */
export const sayTime = (time: string): string => sayClock(time, locale());

/** The date of an instant (RFC 3339) in a zone, as people say it on the given day. */
export const sayDay = (instant: string, timeZone: string, today: string): string =>
  sayDate(localTime(Date.parse(instant), timeZone).slice(0, 10), today);

/** `1 habit`, `2 habits`. */
export function countInWords(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** An instant (RFC 3339) in a zone: `Mon 23 Nov 09:00`. */
export function sayInstant(instant: string, timeZone: string): Html {
  const minute = localTime(Date.parse(instant), timeZone).slice(0, 16);
  const today = localTime(Date.now(), timeZone).slice(0, 10);
  return html`<time datetime="${instant}">${sayWallTime(`${minute}:00`, today)}</time>`;
}
