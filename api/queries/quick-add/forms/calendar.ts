import { addDays, dayNumber, isoWeekday, weekStart } from "../../../../shared/domain/day/day.ts";
import { months } from "../../../../shared/domain/todo/quick-add-words.ts";

type PlainDate = Temporal.PlainDate;

const plain = (date: string): PlainDate => Temporal.PlainDate.from(date);

export const nextMonday = (today: string): string =>
  addDays(today, weekStart(dayNumber(today)) + 7 - dayNumber(today));

/** The next day after today that is this weekday; 1 is Monday. */
export const comingDay = (weekday: number, today: string): string =>
  addDays(today, ((weekday - isoWeekday(dayNumber(today)) + 6) % 7) + 1);

export const later = (date: string, span: Temporal.DurationLike): string => plain(date).add(span).toString();

/** A day of the month that is so many months ahead; a month without the 31st gives its last day. */
export const dayInMonth = (today: string, monthsAhead: number, day: number): string =>
  plain(today).with({ day: 1 }).add({ months: monthsAhead }).with({ day }).toString();

type Written = Readonly<{ day: number; month?: string | undefined; year?: string | undefined }>;

/** The next day of that number and month, from today on; undefined if eight years have none. */
export function nextDate({ day, month, year }: Written, today: string): string | undefined {
  const monthNumber = month && (months.get(month.toLowerCase()) ?? Number(month));
  const from = plain(today);
  if (monthNumber && year) return dateIn(Number(year.padStart(4, "20")), monthNumber, day);
  const candidates = monthNumber
    ? [0, 1, 2, 3, 4, 5, 6, 7, 8].map((ahead) => dateIn(from.year + ahead, monthNumber, day))
    : [0, 1, 2].map((ahead) => {
        const within = from.with({ day: 1 }).add({ months: ahead });
        return dateIn(within.year, within.month, day);
      });
  return candidates.find((date) => date !== undefined && date >= today);
}

function dateIn(year: number, month: number, day: number): string | undefined {
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > 31) return undefined;
  const date = Temporal.PlainDate.from({ year, month, day });
  return date.day === day ? date.toString() : undefined;
}

/** The weekday at a position in a month, such as the last Friday; position -1 is the last. */
export function weekdayInMonth(
  today: string,
  monthsAhead: number,
  position: number,
  weekday: number,
): string {
  const first = dayInMonth(today, monthsAhead, 1);
  if (position > 0) return addDays(comingDay(weekday, addDays(first, -1)), 7 * (position - 1));
  return addDays(comingDay(weekday, dayInMonth(today, monthsAhead, 31)), -7);
}
