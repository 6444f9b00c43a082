import { dateOfDay, dayNumber } from "../day/day.ts";
import type { RecurrenceStart } from "../vocabulary.ts";
import { occurrences } from "./occurrences.ts";
import { parseRule } from "./recurrence-rule.ts";

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
 * The todo that follows one completed `today`: due on the first occurrence after both its due date and
 * today, or null when the series has ended. From `due`, the series continues after the completed todo's own day, and
 * missed occurrences reduce COUNT; from `completion`, it begins anew today and only the completed todo reduces COUNT.
 */
export function successor(completed: {
  rule: string;
  anchor: string;
  recurrence_from: RecurrenceStart;
  due_date: string;
  today: string;
}): { due_date: string; rule: string; anchor: string } | null {
  const { rule, anchor, recurrence_from, due_date, today } = completed;
  const after = due_date > today ? due_date : today;
  const next =
    recurrence_from === "due" ? nextInSeries({ rule, anchor }, after) : nextAfresh(rule, today, after);
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

function nextAfresh(rule: string, today: string, after: string): Series | null {
  const next = nextAfter({ rule, anchor: today }, after);
  const count = countOf(rule);
  return next && count !== undefined ? withCount(next, count - 1) : next;
}

/** The next occurrence, regardless of COUNT. */
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
  const until = /;UNTIL=(\d+)/.exec(rule)?.[1];
  return until === undefined || date.replaceAll("-", "") <= until ? date : null;
}
