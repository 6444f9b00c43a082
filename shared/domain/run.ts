import { weekStart } from "./day.ts";
import { nthDueDay, rhythmOf } from "./rhythm.ts";
import type { Rules } from "./schedule.ts";

/** A streak as it stands after a date: all that later dates need to know of the past. Days are day numbers. */
export type Run = Readonly<{
  count: number;
  longest: number;
  /** The last completed day. */
  last: number | null;
  /** The first day that can be missed; for week schedules the Monday of the first week that lacks its number. */
  from: number;
  /** The last day on which the streak lives if nothing more is done; means nothing while the count is 0. */
  alive: number;
  /** Completed days since `from` and in the week of the last one: at most seven or so. */
  dates: readonly number[];
  /** The Monday of the last week that counted as a slot: a week counts once. */
  counted: number | null;
}>;

export const noRun: Run = { count: 0, longest: 0, last: null, from: 0, alive: 0, dates: [], counted: null };

const lives = (run: Run, day: number) => run.count > 0 && day <= run.alive;

/** The run after a completion on a day, which is later than all before it. */
export function completed(run: Run, rules: Rules, day: number): Run {
  const rhythm = rhythmOf(rules);
  const next =
    "times" in rhythm
      ? completedInWeek(run, rhythm.times, rules.grace_days, day)
      : { ...run, count: lives(run, day) ? run.count + 1 : 1, last: day, dates: [...run.dates, day] };
  const open = "times" in rhythm ? next : { ...next, ...dayDeadline(rules, day + 1, day) };
  return { ...open, longest: Math.max(open.longest, open.count), dates: stillNeeded(open, rules) };
}

/** A late completion counts for every week that is still open, and in its own. */
function completedInWeek(run: Run, times: number, grace: number, day: number): Run {
  const monday = weekStart(day);
  const dates = [...run.dates, day];
  const lived = lives(run, day);
  const since = lived ? run : { ...run, count: 0, counted: null, from: monday };
  const counts = numberSince(dates, monday) >= times && since.counted !== monday;
  const from = firstOpenWeek(dates, since.from, monday, times);
  return {
    ...since,
    count: since.count + (counts ? 1 : 0),
    counted: counts ? monday : since.counted,
    last: day,
    from,
    alive: lived && from === run.from ? run.alive : from + 6 + grace,
    dates,
  };
}

/** The run after an edit to new rules: what was missed is forgiven, what was broken stays so. */
export function edited(run: Run, rules: Rules, day: number): Run {
  const lived = lives(run, day);
  const settled = lived ? run : { ...run, count: 0, counted: null };
  const rhythm = rhythmOf(rules);
  if (!("times" in rhythm)) {
    return { ...settled, ...dayDeadline(rules, run.last === day ? day + 1 : day, run.last) };
  }
  const firstWholeWeek = weekStart(day + 6);
  const from = firstOpenWeek(run.dates, firstWholeWeek, weekStart(day), rhythm.times);
  return { ...settled, from, alive: from + 6 + rules.grace_days };
}

/** The run after a day that a change of zone or day start skipped or cut short: it gives one more chance. */
export function skipped(run: Run, rules: Rules, day: number): Run {
  if (day < run.from || day > run.alive) return run;
  const rhythm = rhythmOf(rules);
  if ("times" in rhythm || "every" in rhythm) return { ...run, alive: run.alive + 1 };
  if (nthDueDay(rhythm.weekdays, day, 1) !== day) return run;
  return { ...run, alive: nthDueDay(rhythm.weekdays, run.alive + 1, 1) };
}

/** Day schedules live through the due day after the last that grace forgives; `every_days` rolls from the last completion. */
function dayDeadline(rules: Rules, from: number, last: number | null) {
  const rhythm = rhythmOf(rules);
  const every = "every" in rhythm ? rhythm.every : 1;
  const weekdays = "weekdays" in rhythm ? rhythm.weekdays : null;
  const first = last === null ? from : Math.max(from, last + every);
  return { from: first, alive: nthDueDay(weekdays, first, rules.grace_days + 1) };
}

function firstOpenWeek(dates: readonly number[], from: number, monday: number, times: number): number {
  let open = from;
  while (open <= monday && numberSince(dates, open) >= times) open += 7;
  return open;
}

const numberSince = (dates: readonly number[], day: number) => dates.filter((date) => date >= day).length;

function stillNeeded({ last, from, dates }: Run, rules: Rules): readonly number[] {
  const week = last === null ? from : weekStart(last);
  const since = "times" in rhythmOf(rules) ? Math.min(week, from) : week;
  return dates.filter((date) => date >= since);
}
