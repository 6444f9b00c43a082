import { examples } from "../day/example-dates.ts";

const maxLength = 500;
const maxInterval = 1_000;
const maxCount = 1_000;

type Parts = Record<string, string>;

const error = (what: string) => ({ error: `The recurrence field must ${what}.` });

/** The parts in the order of the normalised text; `normalise` returns undefined for a bad value. */
const parts: Record<string, { normalise: (value: string) => string | undefined; demand: string }> = {
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
};

const weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/**
 * Normalises a rule's text or explains its error in one sentence. It does not check that any date matches. Needless
 * parts that calendars write are dropped: a semicolon at the end, and weeks that begin on Monday.
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
    if (part === "WKST=MO") continue;
    const [name = "", value, ...rest] = part.split("=");
    const known = Object.hasOwn(parts, name) ? parts[name] : undefined;
    if (!known || value === undefined || rest.length > 0) {
      return error(`be an RRULE of ${Object.keys(parts).join(", ")}, such as FREQ=WEEKLY;BYDAY=MO`);
    }
    if (name in given) return error(`have ${name} only once`);
    const normal = known.normalise(value);
    if (normal === undefined) return error(known.demand);
    given[name] = normal;
  }
  const conflict = findConflict(given);
  if (conflict) return error(conflict);
  const named = Object.keys(parts).filter((name) => name in given);
  return { rule: named.map((name) => `${name}=${given[name]}`).join(";") };
}

/** RFC 5545 §3.3.10 excludes some combinations of parts. */
function findConflict({
  FREQ,
  BYDAY,
  BYMONTHDAY,
  BYMONTH,
  BYSETPOS,
  UNTIL,
  COUNT,
}: Parts): string | undefined {
  if (!FREQ) return "have FREQ=DAILY, WEEKLY, MONTHLY or YEARLY";
  if (UNTIL && COUNT) return "have UNTIL or COUNT, not both";
  if (BYMONTHDAY && FREQ === "WEEKLY") return "not have BYMONTHDAY with FREQ=WEEKLY";
  if (BYSETPOS && !BYDAY && !BYMONTHDAY && !BYMONTH) return "have BYDAY, BYMONTHDAY or BYMONTH with BYSETPOS";
  if (BYSETPOS && isBeyond(BYSETPOS, FREQ, BYDAY))
    return "have a position in BYSETPOS that its period reaches";
  return findNumberedConflict(FREQ, BYDAY, BYMONTHDAY, BYMONTH);
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
