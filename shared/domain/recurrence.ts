import { RRuleTemporal } from "rrule-temporal";
import { parseRule } from "./recurrence-rule.ts";

/** A rule, of which COUNT is what is left of the series from here on, and the occurrence that it counts from. */
type Series = Readonly<{ rule: string; anchor: string }>;

/** A search in vain ends here: a month's 31st every 12 months from June, say. */
const maxPeriods = 4_000;
const lastDate = "9999-12-31";

/**
 * Checks an RFC 5545 §3.3.10 recurrence and normalises it: upper case, fixed order, no `RRULE:`.
 * Parts: FREQ (DAILY to YEARLY), INTERVAL, BYDAY, BYMONTHDAY, UNTIL, COUNT; anything else is an error in words.
 */
export function parseRecurrence(text: string): { rule: string } | { error: string } {
  const parsed = parseRule(text);
  if ("error" in parsed) return parsed;
  // Days that fit no date at all, such as the first Monday on a 31st, fit none in the years after 2000 either.
  const days = parsed.rule.replace(/;(INTERVAL|UNTIL|COUNT)=\d+/g, "");
  if (firstOccurrence(days, "2001-01-01")) return parsed;
  return { error: "The recurrence field must match some date." };
}

/** The first date on or after `fromDate` that the rule matches when begun there; null after its UNTIL. */
export const firstOccurrence = (rule: string, fromDate: string): string | null =>
  search(() => find({ rule, anchor: fromDate }, fromDate, true));

/**
 * The todo that follows one completed `today`: due on the first occurrence after both its due date and
 * today, or null when the series has ended. From `due`, the series goes on and missed occurrences are used
 * up; from `completion`, it begins anew today and only the completed todo is used up.
 */
export function successor(completed: {
  rule: string;
  anchor: string;
  recurrence_from: "due" | "completion";
  due_date: string;
  today: string;
}): { due_date: string; rule: string; anchor: string } | null {
  const { rule, anchor, recurrence_from, due_date, today } = completed;
  const after = due_date > today ? due_date : today;
  const next = search(() =>
    recurrence_from === "due" ? nextInSeries({ rule, anchor }, after) : nextAfresh(rule, today, after),
  );
  return next && { due_date: next.anchor, ...next };
}

/** The completed todo and the missed occurrences are used up; the anchor is that todo's own, matched or not. */
function nextInSeries({ rule, anchor }: Series, after: string): Series | null {
  const next = nextAfter({ rule, anchor }, after);
  const count = countOf(rule);
  if (next === null || count === undefined) return next;
  const [first, last] = [midnight(anchor).epochMilliseconds, midnight(after).epochMilliseconds];
  const sinceFirst = library({ rule, anchor }).all((date) => date.epochMilliseconds <= last);
  const missed = sinceFirst.filter((date) => date.epochMilliseconds > first).length;
  return withCount(next, count - 1 - missed);
}

function nextAfresh(rule: string, today: string, after: string): Series | null {
  const next = nextAfter({ rule, anchor: today }, after);
  const count = countOf(rule);
  return next && count !== undefined ? withCount(next, count - 1) : next;
}

/** Regardless of COUNT. */
function nextAfter({ rule, anchor }: Series, after: string): Series | null {
  const date = find({ rule: rule.replace(/;COUNT=\d+/, ""), anchor }, after);
  return date === null ? null : { rule, anchor: date };
}

const withCount = ({ rule, anchor }: Series, left: number): Series | null =>
  left < 1 ? null : { rule: rule.replace(/;COUNT=\d+/, `;COUNT=${left}`), anchor };

function countOf(rule: string): number | undefined {
  const count = /;COUNT=(\d+)/.exec(rule)?.[1];
  return count === undefined ? undefined : Number(count);
}

/** The library throws when it has gone through `maxPeriods` in vain; to a todo that is the end of its series. */
function search<T>(run: () => T | null): T | null {
  try {
    return run();
  } catch {
    return null;
  }
}

function find(series: Series, after: string, inclusive = false): string | null {
  const date = library(series).next(midnight(after), inclusive)?.toPlainDate().toString();
  return date === undefined || date.length > lastDate.length ? null : date;
}

/** Dates are midnights in UTC to the library: no zone and no DST takes part. */
const library = ({ rule, anchor }: Series): RRuleTemporal =>
  new RRuleTemporal({
    rruleString: `RRULE:${rule}`,
    dtstart: midnight(anchor),
    maxIterations: maxPeriods,
  });

const midnight = (date: string): Temporal.ZonedDateTime =>
  Temporal.PlainDate.from(date).toZonedDateTime("UTC");
