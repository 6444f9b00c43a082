import { RRuleTemporal } from "rrule-temporal";
import { dayNumber, msPerDay } from "../day/day.ts";

/**
 * The most periods of a search, and the days of each. Users choose the rules and workers pay for the search, so it
 * has a bound: each of these takes one to three milliseconds at worst.
 */
const yearly = { days: 366, most: 20 };
const periods = new Map([
  ["DAILY", { days: 1, most: 1_500 }],
  ["WEEKLY", { days: 7, most: 1_000 }],
  // The library takes five times as long for a week with BYSETPOS.
  ["WEEKLY BYSETPOS", { days: 7, most: 200 }],
  ["MONTHLY", { days: 31, most: 120 }],
  ["YEARLY", yearly],
]);

/** A window with this many dates is not doubled, because dates cost more than the days between them. */
const manyDates = 100;
const lastDay = dayNumber("9999-12-31");

/**
 * The days of a normalised rule that begins at `anchorDate`, as day numbers from `fromDay` on. Windows double until
 * they hold many dates: cheap for one date, for a thousand and for none. The caller applies UNTIL and COUNT.
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

/** The library gets dates as midnights in UTC, so that zones and DST changes play no part. */
function readRule(text: string, anchorDate: string) {
  const parts = new Map(
    Array.from(text.matchAll(/(\w+)=([^;]+)/g), ([, name = "", value = ""]) => [name, value]),
  );
  const freq = parts.get("FREQ") ?? "";
  const { days, most } =
    (parts.has("BYSETPOS") && periods.get(`${freq} BYSETPOS`)) || periods.get(freq) || yearly;
  const fits = freq === "DAILY" ? pickDays(parts) : () => true;
  parts.delete("UNTIL");
  parts.delete("COUNT");
  const rruleString = `RRULE:${Array.from(parts, (part) => part.join("=")).join(";")}`;
  const dtstart = Temporal.PlainDate.from(anchorDate).toZonedDateTime("UTC");
  const library = new RRuleTemporal({ rruleString, dtstart });
  return { library, fits, days: days * Number(parts.get("INTERVAL") ?? 1), most };
}

/**
 * The library is slow at DAILY with BYMONTHDAY or BYMONTH, so these are applied here. A daily period has one day, so
 * BYSETPOS can only mean that day.
 */
function pickDays(parts: Map<string, string>) {
  const monthDays = parts.get("BYMONTHDAY")?.split(",").map(Number);
  const months = parts.get("BYMONTH")?.split(",").map(Number);
  for (const name of ["BYMONTHDAY", "BYMONTH", "BYSETPOS"]) parts.delete(name);
  return ({ day, month, daysInMonth }: Pick<Temporal.PlainDate, "day" | "month" | "daysInMonth">): boolean =>
    (!months || months.includes(month)) &&
    (!monthDays || monthDays.includes(day) || monthDays.includes(day - daysInMonth - 1));
}
