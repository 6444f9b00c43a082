import { RRuleTemporal } from "rrule-temporal";
import { parseRule } from "./recurrence-rule.ts";

/** What a recurring todo carries: its rule, of which COUNT is what is left of the series, and the series' first date. */
export type Series = { rule: string; anchor: string };

/** An ill-fitting rule (every 12 months on the 31st, begun in June) is given up after so many periods. */
const maxPeriods = 4_000;
const lastDate = "9999-12-31";

/**
 * Checks an RFC 5545 §3.3.10 recurrence and normalises it: upper case, fixed order, no `RRULE:`.
 * Parts: FREQ (DAILY to YEARLY), INTERVAL, BYDAY, BYMONTHDAY, UNTIL, COUNT; anything else is an error in words.
 */
export function parseRecurrence(text: string): { rule: string } | { error: string } {
  const parsed = parseRule(text);
  if ("error" in parsed) return parsed;
  // Some date must match for some start; a leap year's January has every day of the month.
  const unbounded = parsed.rule.replace(/;(INTERVAL|UNTIL|COUNT)=\w+/g, "");
  if (occurrence({ rule: unbounded, anchor: "2000-01-01" }, "2000-01-01", true)) return parsed;
  return { error: "The recurrence field must match some date." };
}

/** The first date on or after `fromDate` that the rule matches when begun there, or null when there is none. */
export const firstOccurrence = (rule: string, fromDate: string): string | null =>
  occurrence({ rule, anchor: fromDate }, fromDate, true);

/**
 * The todo that follows one that was completed `today`: due on the first occurrence after both its due date
 * and today, or null when the series has ended. From `due`, the missed occurrences between are used up and
 * the phase stays; from `completion`, the series begins anew today and only the completed todo is used up.
 */
export function successor(completed: {
  rule: string;
  anchor: string;
  recurrence_from: "due" | "completion";
  due_date: string;
  today: string;
}): (Series & { due_date: string }) | null {
  const { due_date, today, recurrence_from } = completed;
  const after = due_date > today ? due_date : today;
  const next =
    recurrence_from === "due" ? nextInSeries(completed, after) : nextAfresh(completed.rule, today, after);
  return next && { due_date: next.anchor, ...next };
}

function nextInSeries(series: Series, after: string): Series | null {
  const date = occurrence({ ...series, startCounts: true }, after);
  if (!date) return null;
  const count = countOf(series.rule);
  if (count === null) return { rule: series.rule, anchor: date };
  const used =
    library({ ...series, startCounts: true }).between(midnight(series.anchor), midnight(date), true).length -
    1;
  return { rule: withCount(series.rule, count - used), anchor: date };
}

function nextAfresh(rule: string, today: string, after: string): Series | null {
  const count = countOf(rule);
  if (count === 1) return null;
  const date = occurrence({ rule: rule.replace(/;COUNT=\d+/, ""), anchor: today }, after);
  return date === null ? null : { rule: count === null ? rule : withCount(rule, count - 1), anchor: date };
}

const countOf = (rule: string): number | null => {
  const [, digits] = /;COUNT=(\d+)/.exec(rule) ?? [];
  return digits === undefined ? null : Number(digits);
};

const withCount = (rule: string, count: number): string => rule.replace(/;COUNT=\d+/, `;COUNT=${count}`);

/** `startCounts`: the anchor is the first of the series even where the rule does not match it (RFC 5545 §3.3.10). */
type Query = Series & { startCounts?: boolean };

function occurrence(query: Query, after: string, inclusive = false): string | null {
  try {
    const date = library(query).next(midnight(after), inclusive)?.toPlainDate().toString() ?? null;
    return date === null || date.length > lastDate.length ? null : date;
  } catch {
    // The library throws when it has searched `maxPeriods` in vain.
    return null;
  }
}

/** Dates are midnights in UTC to the library, so no zone and no DST takes part. */
const library = ({ rule, anchor, startCounts = false }: Query): RRuleTemporal =>
  new RRuleTemporal({
    rruleString: `RRULE:${rule}`,
    dtstart: midnight(anchor),
    includeDtstart: startCounts,
    maxIterations: maxPeriods,
  });

const midnight = (date: string): Temporal.ZonedDateTime =>
  Temporal.PlainDate.from(date).toZonedDateTime("UTC");
