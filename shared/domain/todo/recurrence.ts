import { RRuleTemporal } from "rrule-temporal";
import { dateOfDay, dayNumber, examples, msPerDay, weekStart } from "../day/day.ts";
import type { RecurrenceStart } from "../vocabulary.ts";

/**
 * The most periods of a search, and the days of each. Users choose the rules and workers pay for the search, so it
 * has a bound: each of these takes one to three milliseconds at worst.
 */
const yearly = { unit: "years", days: 366, most: 20 };
const periods = new Map([
  ["DAILY", { unit: "days", days: 1, most: 1_500 }],
  ["WEEKLY", { unit: "weeks", days: 7, most: 1_000 }],
  // The library takes five times as long for a week with BYSETPOS.
  ["WEEKLY BYSETPOS", { unit: "weeks", days: 7, most: 200 }],
  ["MONTHLY", { unit: "months", days: 31, most: 120 }],
  ["YEARLY", yearly],
]);

/** A window with this many dates is not doubled, because dates cost more than the days between them. */
const manyDates = 100;
const lastDay = dayNumber("9999-12-31");

/**
 * The days of a normalised rule that begins at `anchorDate`, as day numbers from `fromDay` on. Windows double until
 * they hold many dates: cheap for one date, for a thousand and for none. The caller applies UNTIL and COUNT.
 */
function* occurrences(text: string, anchorDate: string, fromDay: number): Generator<number> {
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

export const partsOfRule = (rule: string): Map<string, string> =>
  new Map(Array.from(rule.matchAll(/(\w+)=([^;]+)/g), ([, name = "", value = ""]) => [name, value]));

/** The library gets dates as midnights in UTC, so that zones and DST changes play no part. */
function readRule(text: string, anchorDate: string) {
  const parts = partsOfRule(text);
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

/** A rule and its anchor: COUNT is the number of occurrences left from that occurrence on. */
type Series = Readonly<{ rule: string; anchor: string }>;

/**
 * Checks an RFC 5545 §3.3.10 recurrence and normalises it: upper case, fixed order, no `RRULE:`.
 * Parts: FREQ (DAILY to YEARLY), INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS, UNTIL, COUNT; else an error sentence.
 */
export function parseRecurrence(text: string): { rule: string } | { error: string } {
  const parsed = parseRule(text);
  if ("error" in parsed) return parsed;
  // A search of the years after 2000 finds rules that never match, such as the first Monday on a 31st.
  const days = parsed.rule.replace(/;(INTERVAL|UNTIL|COUNT)=\d+/g, "");
  if (firstOccurrence(days, "2001-01-01")) return parsed;
  return { error: "The recurrence field must match some date." };
}

/** The first match on or after `fromDate` of a rule begun on that date, or null when UNTIL is over. */
export const firstOccurrence = (rule: string, fromDate: string): string | null =>
  find({ rule, anchor: fromDate }, dayNumber(fromDate));

/**
 * The todo that follows one completed `today`, or null when the series has ended. From `due` it is due on the first
 * occurrence after its own day, its due date and today, and missed occurrences reduce COUNT. From `completion` the
 * interval counts from today, and only the completed todo reduces COUNT.
 */
export function successor(completed: {
  rule: string;
  anchor: string;
  recurrence_from: RecurrenceStart;
  due_date: string;
  today: string;
}): { due_date: string; rule: string; anchor: string } | null {
  const { rule, anchor, recurrence_from, due_date, today } = completed;
  const next =
    recurrence_from === "due"
      ? nextInSeries({ rule, anchor }, due_date > today ? due_date : today)
      : nextAfresh({ rule, anchor: today }, due_date);
  return next && { due_date: next.anchor, ...next };
}

/**
 * The completed todo is the anchor, even if the rule does not match its day or it was moved earlier: the series
 * continues after it. It and the missed ones reduce COUNT.
 */
function nextInSeries(series: Series, done: string): Series | null {
  const after = done > series.anchor ? done : series.anchor;
  const next = nextAfter(series, after);
  const count = countOf(series.rule);
  if (next === null || count === undefined) return next;
  return withCount(next, count - 1 - missed(series, after, count));
}

/** The number of occurrences after the anchor and up to that day, at most `count`. */
function missed({ rule, anchor }: Series, lastDate: string, count: number): number {
  const lastDay = dayNumber(lastDate);
  let found = 0;
  for (const day of occurrences(rule, anchor, dayNumber(anchor) + 1)) {
    if (day > lastDay || found === count) return found;
    found += 1;
  }
  return count;
}

/**
 * The next day of a series that begins anew on the day of completion. A day in the period of that day, such as its
 * week, counts only if it is after the due date as well.
 */
function nextAfresh(series: Series, dueDate: string): Series | null {
  const { rule, anchor: done } = series;
  const length = rule.startsWith("FREQ=YEARLY") ? 4 : rule.startsWith("FREQ=MONTHLY") ? 7 : 10;
  const period = (date: string) =>
    rule.startsWith("FREQ=WEEKLY") ? weekStart(dayNumber(date)) : date.slice(0, length);
  const after = dueDate > done && period(dueDate) === period(done) ? dueDate : done;
  const next = (/;BY(MONTH)?DAY=/.test(rule) ? nextAfter : nextLikeDone)(series, after);
  const count = countOf(rule);
  return next && count !== undefined ? withCount(next, count - 1) : next;
}

/** A rule without days keeps the day of completion; a month that lacks it gives its last day. */
function nextLikeDone({ rule, anchor }: Series, after: string): Series | null {
  const parts = partsOfRule(rule);
  const { unit, most } = periods.get(parts.get("FREQ") ?? "") ?? yearly;
  const months = parts.get("BYMONTH")?.split(",").map(Number);
  const places = parts.get("BYSETPOS")?.split(",").map(Number);
  const done = Temporal.PlainDate.from(anchor);
  for (let period = 0; period <= most; period++) {
    const day = done.add({ [unit]: period * Number(parts.get("INTERVAL") ?? 1) });
    const ofYear =
      unit === "years" && months ? months.map((month) => done.with({ year: day.year, month })) : [day];
    const days = ofYear.filter(({ month }) => !months || months.includes(month));
    const isPicked = (at: number) => !places || places.includes(at + 1) || places.includes(at - days.length);
    const found = days.map(String).find((date, at) => date > after && isPicked(at));
    if (found) return isPastUntil(rule, found) ? null : { rule, anchor: found };
  }
  return null;
}

function nextAfter(series: Series, after: string): Series | null {
  const date = find(series, dayNumber(after) + 1);
  return date === null ? null : { rule: series.rule, anchor: date };
}

const withCount = ({ rule, anchor }: Series, left: number): Series | null =>
  left < 1 ? null : { rule: rule.replace(/;COUNT=\d+/, `;COUNT=${left}`), anchor };

function countOf(rule: string): number | undefined {
  const count = /;COUNT=(\d+)/.exec(rule)?.[1];
  return count === undefined ? undefined : Number(count);
}

/** The day of UNTIL is included. A search without a result within its bound ends the series. */
function find({ rule, anchor }: Series, fromDay: number): string | null {
  const [day] = occurrences(rule, anchor, fromDay);
  if (day === undefined) return null;
  const date = dateOfDay(day);
  return isPastUntil(rule, date) ? null : date;
}

function isPastUntil(rule: string, date: string): boolean {
  const until = /;UNTIL=(\d+)/.exec(rule)?.[1];
  return until !== undefined && date.replaceAll("-", "") > until;
}

const maxLength = 500;
const maxInterval = 1_000;
const maxCount = 1_000;

type Parts = Record<string, string>;

const error = (what: string) => ({ error: `The recurrence field must ${what}.` });

/** The knownParts in the order of the normalised text; `normalise` returns undefined for a bad value. */
const knownParts: Record<string, { normalise: (value: string) => string | undefined; demand: string }> = {
  FREQ: {
    normalise: (value) => (/^(DAILY|WEEKLY|MONTHLY|YEARLY)$/.test(value) ? value : undefined),
    demand: "have FREQ=DAILY, WEEKLY, MONTHLY or YEARLY",
  },
  INTERVAL: {
    normalise: (value) => wholeNumber(value, maxInterval),
    demand: `have an INTERVAL from 1 to ${maxInterval}`,
  },
  BYDAY: {
    normalise: (value) =>
      list(value, weekday, (one) => weekdays.indexOf(one.slice(-2)) + 10 * (Number.parseInt(one, 10) || 0)),
    demand: "have weekdays such as MO,FR or 1MO,-1FR in BYDAY",
  },
  BYMONTHDAY: {
    normalise: (value) => list(value, (one) => position(one, 31), Number),
    demand: "have days from 1 to 31 or -31 to -1 in BYMONTHDAY",
  },
  BYMONTH: {
    normalise: (value) => list(value, (one) => wholeNumber(one, 12), Number),
    demand: "have months from 1 to 12 in BYMONTH",
  },
  BYSETPOS: {
    normalise: (value) => list(value, (one) => position(one, 366), Number),
    demand: "have positions from 1 to 366 or -366 to -1 in BYSETPOS",
  },
  UNTIL: {
    normalise: until,
    demand: `have ${examples.until}`,
  },
  COUNT: {
    normalise: (value) => wholeNumber(value, maxCount),
    demand: `have a COUNT from 1 to ${maxCount}`,
  },
  WKST: {
    normalise: (value) => (weekdays.includes(value) ? value : undefined),
    demand: "have a weekday such as MO in WKST",
  },
};

/** WKST is dropped, because it is accepted only where it changes nothing. */
const keptParts = Object.keys(knownParts).filter((name) => name !== "WKST");

const weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/**
 * Normalises a rule's text or explains its error in one sentence. It does not check that any date matches. A semicolon
 * at the end is dropped, and WKST where it changes nothing.
 */
export function parseRule(text: string): { rule: string } | { error: string } {
  if (text.length > maxLength) return error(`have at most ${maxLength} characters`);
  const given: Parts = {};
  for (const part of text
    .trim()
    .toUpperCase()
    .replace(/^RRULE:/, "")
    .replace(/;$/, "")
    .split(";")) {
    const [name = "", value, ...rest] = part.split("=");
    const known = Object.hasOwn(knownParts, name) ? knownParts[name] : undefined;
    if (!known || value === undefined || rest.length > 0) {
      const without =
        !known && value !== undefined && /^[A-Z-]{2,20}$/.test(name) ? `have no ${name}, and ` : "";
      return error(`${without}be an RRULE of ${keptParts.join(", ")}, such as FREQ=WEEKLY;BYDAY=MO`);
    }
    if (name in given) return error(`have ${name} only once`);
    const normal = known.normalise(value);
    if (normal === undefined) return error(known.demand);
    given[name] = normal;
  }
  const conflict = findConflict(given);
  if (conflict) return error(conflict);
  const named = keptParts.filter((name) => name in given);
  return { rule: named.map((name) => `${name}=${given[name]}`).join(";") };
}

/** RFC 5545 §3.3.10 excludes some combinations of knownParts. */
function findConflict(parts: Parts): string | undefined {
  const { FREQ, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS, UNTIL, COUNT, WKST } = parts;
  if (!FREQ) return "have FREQ=DAILY, WEEKLY, MONTHLY or YEARLY";
  if (UNTIL && COUNT) return "have UNTIL or COUNT, not both";
  if (BYMONTHDAY && FREQ === "WEEKLY") return "not have BYMONTHDAY with FREQ=WEEKLY";
  if (BYSETPOS && !BYDAY && !BYMONTHDAY && !BYMONTH) return "have BYDAY, BYMONTHDAY or BYMONTH with BYSETPOS";
  if (BYSETPOS && isBeyond(BYSETPOS, FREQ, BYDAY))
    return "have a position in BYSETPOS that its period reaches";
  if (WKST && isOtherWeek(WKST, parts)) return `have no WKST=${WKST} here, because weeks begin on Monday`;
  return findNumberedConflict(FREQ, BYDAY, BYMONTHDAY, BYMONTH);
}

/** True if weeks from that day on group the days of a rule in another way than weeks from Monday on. */
function isOtherWeek(start: string, { FREQ, INTERVAL = "1", BYDAY = "", BYSETPOS }: Parts): boolean {
  if (FREQ !== "WEEKLY" || (INTERVAL === "1" && !BYSETPOS)) return false;
  const days = BYDAY.split(",").map((day) => weekdays.indexOf(day) < weekdays.indexOf(start));
  return new Set(days).size > 1;
}

/** True if no day or week has that many days; a search would be costly and find nothing. */
function isBeyond(positions: string, freq: string, byDay?: string): boolean {
  const atMost = freq === "WEEKLY" ? (byDay?.split(",").length ?? 1) : freq === "DAILY" ? 1 : 366;
  return positions.split(",").every((one) => Math.abs(Number(one)) > atMost);
}

/**
 * Numbered weekdays count in a month, or in a year when no BYMONTH names its months. Those of FREQ=YEARLY cannot be
 * combined: libraries do not agree on what that means.
 */
function findNumberedConflict(
  freq: string,
  byDay = "",
  byMonthDay?: string,
  byMonth?: string,
): string | undefined {
  const days = byDay.split(",");
  const numbered = days.filter((day) => day.length > 2);
  if (numbered.length === 0) return undefined;
  if (freq !== "MONTHLY" && freq !== "YEARLY")
    return "have numbered weekdays only with FREQ=MONTHLY or YEARLY";
  const ofYear = freq === "YEARLY" && byMonth === undefined;
  const atMost = ofYear ? 52 : 5;
  if (numbered.some((day) => Math.abs(Number.parseInt(day, 10)) > atMost))
    return `have weekdays numbered up to ${atMost} with FREQ=${freq}${freq === "YEARLY" && !ofYear ? " and BYMONTH" : ""}`;
  if (freq === "YEARLY" && (numbered.length < days.length || byMonthDay))
    return "have no other days beside the numbered weekdays of FREQ=YEARLY";
  return undefined;
}

function wholeNumber(value: string, max: number): string | undefined {
  const number = /^\d{1,6}$/.test(value) ? Number(value) : 0;
  return number >= 1 && number <= max ? String(number) : undefined;
}

function list(
  value: string,
  normalise: (one: string) => string | undefined,
  rank: (one: string) => number,
): string | undefined {
  const normal = value.split(",").map(normalise);
  const good = normal.filter((one) => one !== undefined);
  if (good.length < normal.length) return undefined;
  return [...new Set(good)].sort((a, b) => rank(a) - rank(b)).join(",");
}

function weekday(value: string): string | undefined {
  const [, sign, ordinal, day] = /^([+-]?)(\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)$/.exec(value) ?? [];
  if (ordinal === undefined) return sign === "" ? day : undefined;
  const number = Number(ordinal);
  return number >= 1 ? `${sign === "-" ? "-" : ""}${number}${day}` : undefined;
}

/** A position counted from the beginning or, with a minus, from the end. */
function position(value: string, max: number): string | undefined {
  const [, sign, digits = ""] = /^([+-]?)(\d{1,3})$/.exec(value) ?? [];
  const number = Number(digits);
  return number >= 1 && number <= max ? `${sign === "-" ? "-" : ""}${number}` : undefined;
}

/** Accepts a date, or a date and time, and uses only the date. */
function until(value: string): string | undefined {
  const [, year, month, day] =
    /^(\d{4})(\d{2})(\d{2})(?:T([01]\d|2[0-3])[0-5]\d[0-5]\dZ?)?$/.exec(value) ?? [];
  if (year === undefined) return undefined;
  try {
    Temporal.PlainDate.from(`${year}-${month}-${day}`);
    return `${year}${month}${day}`;
  } catch {
    return undefined;
  }
}
