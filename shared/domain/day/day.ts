import type { Refusal } from "../../errors.ts";

/** Dates are `YYYY-MM-DD`; instants are epoch milliseconds; wall times are `YYYY-MM-DDTHH:MM[:SS[.fff]]`. */

/**
 * The user's day: the wall-clock date in the zone, or the date before it until `dayStartHour` (0–6), for people who go
 * to bed after midnight. It depends on the wall clock only, so a DST change never moves it.
 */
export function localDay(instant: number, timeZone: string, dayStartHour: number): string {
  const local = wallClock(instant, timeZone);
  const date = local.hour < dayStartHour ? local.subtract({ days: 1 }) : local;
  return date.toPlainDate().toString();
}

/** The wall time of an instant's text in a zone, as exact as the text. */
export const wallTimeAt = (instant: string, timeZone: string): string =>
  Temporal.Instant.from(instant).toZonedDateTimeISO(timeZone).toPlainDateTime().toString();

/** The wall time of an instant in a zone, to the second: `2026-11-21T09:00:00`. */
export const localTime = (instant: number, timeZone: string): string =>
  wallClock(instant, timeZone).toString({ smallestUnit: "second" });

/**
 * The last minute of wall time that has come, such as `2026-11-21T09:00`: `resolveLocalTime` gives an instant in
 * the past for it and all earlier minutes, and a later one for all others. In a repeated hour, it is the end of
 * that hour.
 */
export function lastMinute(instant: number, timeZone: string): string {
  const now = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone);
  const change = now.add({ milliseconds: 1 }).getTimeZoneTransition("previous");
  const [wall, before] = [now, change?.subtract({ nanoseconds: 1 })].map((time) =>
    time?.toPlainDateTime().toString({ smallestUnit: "minute" }),
  );
  return before !== undefined && wall !== undefined && before > wall ? before : (wall ?? "");
}

const wallClock = (instant: number, timeZone: string): Temporal.PlainDateTime =>
  Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone).toPlainDateTime();

/**
 * The instant of a wall time. A time skipped by DST becomes the first valid minute after the gap; of a repeated time
 * the first one counts.
 */
export function resolveLocalTime(wallTime: string, timeZone: string): number {
  const local = Temporal.PlainDateTime.from(wallTime);
  const earlier = local.toZonedDateTime(timeZone, { disambiguation: "earlier" });
  if (earlier.toPlainDateTime().equals(local)) return earlier.epochMilliseconds;
  const transition = earlier.getTimeZoneTransition("next");
  return (transition ?? earlier).epochMilliseconds;
}

/** A wall time in PostgreSQL's form, with seconds and microseconds, so that rows and images can be compared. */
export const wallTimeOf = (text: string): string =>
  Temporal.PlainDateTime.from(text).round({ smallestUnit: "microsecond", roundingMode: "trunc" }).toString();

/** True for an IANA zone or alias. Bare offsets such as +01:00 are refused because they have no DST. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    wallClock(0, name);
    return true;
  } catch {
    return false;
  }
}

export const msPerDay = 86_400_000;

/** Days since 1970-01-01. */
export const dayNumber = (date: string): number => Date.parse(date) / msPerDay;

export const dateOfDay = (day: number): string => new Date(day * msPerDay).toISOString().slice(0, 10);

export const addDays = (date: string, days: number): string => dateOfDay(dayNumber(date) + days);

export const daysBetween = (from: string, to: string): number => dayNumber(to) - dayNumber(from);

/** 1 is Monday, 7 is Sunday. */
export const isoWeekday = (day: number): number => ((((day + 3) % 7) + 7) % 7) + 1;

/** The Monday of the day's week, as a day number. */
export const weekStart = (day: number): number => day - isoWeekday(day) + 1;

/**
 * PostgreSQL's `2026-11-20 09:15:02.1042+00` as `2026-11-20T09:15:02.104200Z`: a Date would lose the microseconds.
 * @throws RangeError for another offset than UTC's, because cutting it off would change the time
 */
export function timestamp(stored: string): string {
  const zone = utcEndings.find((ending) => stored.endsWith(ending));
  if (zone === undefined) throw new RangeError(`PostgreSQL gave ${stored}, which is not in UTC.`);
  const time = stored.slice(11, -zone.length);
  return `${stored.slice(0, 10)}T${(time.length === 8 ? `${time}.` : time).padEnd(15, "0")}Z`;
}

/** Rows have `+00`, PostgreSQL's JSON has `+00:00`, and handlers write `Z`. */
const utcEndings = ["+00", "+00:00", "Z"] as const;

export type Today = Readonly<{ date: string; timeZone: string }>;

const examplesOn = (today: string) => ({
  date: `a real date such as ${today}`,
  time: `a time such as ${addDays(today, 1)}T09:00:00+01:00, or ${addDays(today, 1)}T09:00 in the user's own zone`,
  until: `a date such as ${today.slice(0, 4)}1231 in UNTIL`,
});

/** Examples in documents, and in refusals that no user sees. */
export const examples = examplesOn("2026-11-20");

/** Matches a whole sentence of Kept about a field, because other sentences contain dates of the user's own things. */
const demand = /^(The \w+ field must (?:be|have) )(.*?)(\.(?: \(and \d+ more errors?\))?)$/;

/** The sentence with the example of that day; undefined without an example. */
function present(sentence: string, now: typeof examples): string | undefined {
  const [, begin, shown, end] = demand.exec(sentence) ?? [];
  const name = exampleNames.find((known) => examples[known] === shown);
  return name && `${begin}${now[name]}${end}`;
}

const exampleNames = ["date", "time", "until"] as const;

export const hasExampleDate = ({ message, errors }: Refusal): boolean =>
  [message, ...Object.values(errors ?? {}).flat()].some((sentence) => present(sentence, examples));

/** The refusal with examples that fit the user's day, because callers copy them. */
export function withPresentExamples(refusal: Refusal, today: string): Refusal {
  if (!hasExampleDate(refusal)) return refusal;
  const now = examplesOn(today);
  const dated = (sentence: string) => present(sentence, now) ?? sentence;
  const errors = Object.entries(refusal.errors ?? {}).map(([name, all]) => [name, all.map(dated)]);
  return {
    ...refusal,
    message: dated(refusal.message),
    ...(refusal.errors && { errors: Object.fromEntries(errors) }),
  };
}
