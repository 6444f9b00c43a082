import { RRuleTemporal } from "rrule-temporal";
import { dayNumber, msPerDay } from "./day.ts";

/**
 * A search ends after so many periods, of at most so many days: whoever makes a todo chooses how long one would
 * take, and a worker pays for it. Each of these costs one to three milliseconds at the worst.
 */
const periods = {
  DAILY: { days: 1, most: 1_500 },
  WEEKLY: { days: 7, most: 1_000 },
  MONTHLY: { days: 31, most: 120 },
  YEARLY: { days: 366, most: 20 },
};

/** A window that had as many dates stays as it is: dates cost more than the days between them. */
const manyDates = 100;
const lastDay = dayNumber("9999-12-31");

/**
 * The days on which a normalised rule begun at `anchorDate` falls, in order, on or after both days, as day numbers.
 * The library is asked for one window after the other, each twice as long until dates abound, so that neither
 * the next date nor a thousand of them nor a search in vain costs more than it must. UNTIL and COUNT are the caller's.
 */
export function* occurrences(text: string, anchorDate: string, fromDay: number): Generator<number> {
  const { library, fits, days, most } = readRule(text, anchorDate);
  let start = Math.max(dayNumber(anchorDate), fromDay);
  let size = 1;
  for (let left = most; left > 0 && start <= lastDay; size = Math.min(size, left)) {
    const end = Math.min(start + size * days - 1, lastDay);
    const found = library.between(new Date(start * msPerDay), new Date(end * msPerDay), true);
    for (const date of found) if (fits(date)) yield date.epochMilliseconds / msPerDay;
    start = end + 1;
    left -= size;
    if (found.length < manyDates) size *= 2;
  }
}

/** Dates are midnights in UTC to the library: no zone and no DST takes part. */
function readRule(text: string, anchorDate: string) {
  const parts = new Map(text.split(";").map((part) => part.split("=") as [string, string]));
  const { days, most } = periods[parts.get("FREQ") as keyof typeof periods];
  const fits = parts.get("FREQ") === "DAILY" ? pickMonthDays(parts) : () => true;
  parts.delete("UNTIL");
  parts.delete("COUNT");
  const rruleString = `RRULE:${Array.from(parts, (part) => part.join("=")).join(";")}`;
  const dtstart = Temporal.PlainDate.from(anchorDate).toZonedDateTime("UTC");
  const library = new RRuleTemporal({ rruleString, dtstart });
  return { library, fits, days: days * Number(parts.get("INTERVAL") ?? 1), most };
}

/** The library is slow at one shape, DAILY with BYMONTHDAY: it is asked without, and its days are picked here. */
function pickMonthDays(parts: Map<string, string>) {
  const monthDays = parts.get("BYMONTHDAY")?.split(",").map(Number);
  parts.delete("BYMONTHDAY");
  return ({ day, daysInMonth }: { day: number; daysInMonth: number }): boolean =>
    !monthDays || monthDays.includes(day) || monthDays.includes(day - daysInMonth - 1);
}
