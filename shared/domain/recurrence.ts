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
  search(() => find(library({ rule, anchor: fromDate }), fromDate, true));

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

/** The anchor counts as the first of the series even where the rule does not match it (RFC 5545 §3.3.10). */
function nextInSeries(series: Series, after: string): Series | null {
  const dates = library(series, { includeDtstart: true });
  const date = find(dates, after);
  const count = countOf(series.rule);
  if (date === null) return null;
  if (count === undefined) return { rule: series.rule, anchor: date };
  const used = dates.between(midnight(series.anchor), midnight(date), true).length - 1;
  return { rule: withCount(series.rule, count - used), anchor: date };
}

function nextAfresh(rule: string, today: string, after: string): Series | null {
  const count = countOf(rule);
  if (count === 1) return null;
  const date = find(library({ rule: rule.replace(/;COUNT=\d+/, ""), anchor: today }), after);
  if (date === null) return null;
  return { rule: count === undefined ? rule : withCount(rule, count - 1), anchor: date };
}

function countOf(rule: string): number | undefined {
  const digits = /;COUNT=(\d+)/.exec(rule)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

const withCount = (rule: string, count: number): string => rule.replace(/;COUNT=\d+/, `;COUNT=${count}`);

/** The library throws when it has gone through `maxPeriods` in vain; to a todo that is the end of its series. */
function search<T>(run: () => T | null): T | null {
  try {
    return run();
  } catch {
    return null;
  }
}

function find(dates: RRuleTemporal, after: string, inclusive = false): string | null {
  const date = dates.next(midnight(after), inclusive)?.toPlainDate().toString();
  return date === undefined || date.length > lastDate.length ? null : date;
}

/** Dates are midnights in UTC to the library: no zone and no DST takes part. */
const library = ({ rule, anchor }: Series, options: { includeDtstart?: boolean } = {}): RRuleTemporal =>
  new RRuleTemporal({
    rruleString: `RRULE:${rule}`,
    dtstart: midnight(anchor),
    maxIterations: maxPeriods,
    ...options,
  });

const midnight = (date: string): Temporal.ZonedDateTime =>
  Temporal.PlainDate.from(date).toZonedDateTime("UTC");
