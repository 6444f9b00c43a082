import { dayNumber } from "./day.ts";

const dateFormat = { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" } as const;
/** Dates with the day first, a clock of 24 hours, and weeks from Monday. */
export const usualLocale = "en-GB-u-fw-mon-hc-h23";
/**
 * Formats are made once: making one takes fifty times as long as using it, and a page of actions has hundreds of dates.
 */
const formats = new Map<string, Readonly<{ thisYear: Intl.DateTimeFormat; withYear: Intl.DateTimeFormat }>>();

function formatsOf(locale: string) {
  const known = formats.get(locale);
  if (known) return known;
  const thisYear = new Intl.DateTimeFormat(locale, dateFormat);
  const made = { thisYear, withYear: new Intl.DateTimeFormat(locale, { ...dateFormat, year: "numeric" }) };
  formats.set(locale, made);
  return made;
}

/** A date without words for near days, for dates in the past or in a log: `Mon 23 Nov`, `Fri 1 Jan 2027`. */
export function sayDated(date: string, today: string, locale = usualLocale): string {
  const { thisYear, withYear } = formatsOf(locale);
  const isThisYear = date.slice(0, 4) === today.slice(0, 4);
  return (isThisYear ? thisYear : withYear).format(new Date(date)).replace(",", "");
}

const weekdayFormat = new Intl.DateTimeFormat(usualLocale, { weekday: "long", timeZone: "UTC" });

/** A coming date within a sentence: `today`, `tomorrow`, in the next six days `Monday`, later `Mon 30 Nov`. */
export function sayUntil(date: string, today: string, locale = usualLocale): string {
  const days = dayNumber(date) - dayNumber(today);
  if (days === 0 || days === 1) return days === 0 ? "today" : "tomorrow";
  return days > 1 && days < 7 ? weekdayFormat.format(new Date(date)) : sayDated(date, today, locale);
}

/** A time of day such as `14:30`, or `2:30 PM` in a locale of 12 hours. */
export function sayClock(time: string, locale: string): string {
  if (!locale.endsWith("h12")) return time;
  const [hour, ...rest] = time.split(":");
  return `${[Number(hour) % 12 || 12, ...rest].join(":")} ${Number(hour) < 12 ? "AM" : "PM"}`;
}
