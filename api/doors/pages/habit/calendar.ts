import { addDays, daysBetween } from "../../../../shared/domain/day/day.ts";
import { sayDated } from "../../../../shared/domain/day/say-date.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { firstOfWeek } from "../../../queries/habit/week.ts";
import { firstWeekday, locale } from "../../../web/locale.ts";
import { countInWords } from "../kit/words.ts";

/** Sizes in the units of a picture's viewBox. */
const pitch = 12;
const square = 10;
const left = 25;
const top = 15;
/** A year and the rest of its first week. */
export const calendarWeeks = 53;
const monthFormat = new Intl.DateTimeFormat("en-GB", { month: "short", timeZone: "UTC" });
const longMonthFormat = new Intl.DateTimeFormat("en-GB", {
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

type Year = Readonly<{
  title: Html | string;
  today: string;
  done: ReadonlyMap<string, number>;
  /** Earlier days are drawn as missing. */
  since?: string;
  /** Days that were free, because they were paused or skipped. */
  free?: ReadonlySet<string>;
  /** The words for one day. */
  sayDone(done: number, date: string): string;
  /** The address of a day. */
  linkTo?(date: string): string;
}>;

const none: ReadonlySet<string> = new Set();

/** A square for each day of the last year, with a text version for screen readers. */
export function yearPicture(year: Year): Html {
  const { title, today, done, since = "", free = none } = year;
  const days = calendarDays(today);
  const known = days.filter(({ date }) => date >= since || done.has(date));
  const words = monthlyCounts(known, done).map(
    ({ month, done: count }) => `${longMonthFormat.format(new Date(month))}: ${count}`,
  );
  return html`<figure class="year"><figcaption>${title}</figcaption>
    <p class="unseen">By month. ${words.join(", ")}.</p>
    <div aria-hidden="true">${squares(year, days)}</div>
    ${legend(days.filter(({ date }) => free.has(date) && !done.has(date)).length)}</figure>`;
}

/** The number is text, because the squares are hidden from screen readers. */
const legend = (count: number): Html | false =>
  count > 0 && html`<p class="quiet small">Dashed: paused or skipped, ${countInWords(count, "day")}</p>`;

/** Keys and screen readers reach each day by its date, so the squares are for the pointer alone. */
function squares(year: Year, days: readonly CalendarDay[]): Html {
  const { today, done, since = "", free = none, sayDone, linkTo } = year;
  const most = Math.max(...done.values());
  return html`<svg viewBox="0 0 ${left + pitch * calendarWeeks} ${top + pitch * 7}">
    ${weekdays.map(([name, weekday]) => html`<text x="10" y="${top + pitch * ((weekday - firstWeekday() + 7) % 7) + 9}">${name}</text>`)}
    ${monthStarts(days).map(({ date, column }) => monthLabel(date, left + pitch * column + 9))}
    ${days.map(({ date, column, row }) => {
      const count = done.get(date) ?? 0;
      const isFree = count === 0 && free.has(date);
      const kind = date === today ? " now" : date < since && count === 0 ? " none" : "";
      const words = isFree ? "paused or skipped" : sayDone(count, date);
      const title = kind !== " none" && html`<title>${sayDated(date, today, locale())}: ${words}</title>`;
      const rect = html`<rect class="l${levelOf(count, most)}${kind}${isFree && " free"}" x="${left + pitch * column}" y="${top + pitch * row}"
        width="${square}" height="${square}" rx="2">${title}</rect>`;
      return linkTo ? html`<a href="${linkTo(date)}" tabindex="-1">${rect}</a>` : rect;
    })}</svg>`;
}

const weekdays = [
  ["Mon", 1],
  ["Wed", 3],
  ["Fri", 5],
] as const;

const monthLabel = (date: string, x: number): Html =>
  html`<text x="${x}" y="10">${monthFormat.format(new Date(date))}</text>`;

/** A day in the grid: a column for each week, a row for each weekday with the first one of the week on top. */
type CalendarDay = Readonly<{ date: string; column: number; row: number }>;

/** The first day of the calendar of a year up to today. */
export const firstCalendarDay = (today: string): string =>
  addDays(firstOfWeek(today, firstWeekday()), -7 * (calendarWeeks - 1));

/** The days of the calendar of a year; the last one is today. */
export function calendarDays(today: string): readonly CalendarDay[] {
  const first = firstCalendarDay(today);
  return Array.from({ length: daysBetween(first, today) + 1 }, (_, index) => ({
    date: addDays(first, index),
    column: Math.floor(index / 7),
    row: index % 7,
  }));
}

/** The first days of the calendar's months, each with its column. */
const monthStarts = (days: readonly CalendarDay[]): readonly CalendarDay[] =>
  days.filter(({ date }) => date.endsWith("-01"));

/** The number of completions in each month of the calendar, in order. */
export function monthlyCounts(
  days: readonly CalendarDay[],
  done: ReadonlyMap<string, number>,
): readonly Readonly<{ month: string; done: number }>[] {
  const months = Map.groupBy(days, ({ date }) => date.slice(0, 7));
  return [...months].map(([month, own]) => ({
    month,
    done: own.reduce((sum, { date }) => sum + (done.get(date) ?? 0), 0),
  }));
}

const levels = 4;

/** The shade of a day: 0 for none, else 1 to 4 relative to the busiest day. */
export const levelOf = (done: number, most: number): number =>
  done <= 0 ? 0 : Math.min(levels, Math.ceil((levels * done) / Math.max(1, most)));
