import { isoWeekday, weekStart } from "./day.ts";
import { type DayRhythm, nthWeekday, rhythmOf } from "./rhythm.ts";
import type { Rules } from "./schedule.ts";

/** A streak after some day: everything that later days need to know about the past. Days are day numbers. */
export type StreakRun = Readonly<{
  count: number;
  longest: number;
  /** The last completed day. */
  last: number | null;
  /** The first day that can be missed; for week schedules the Monday of the first week with too few completions. */
  from: number;
  /** The last day on which the streak lives if nothing more is done; meaningless while the count is 0. */
  alive: number;
  /** Completed days since `from` and those in the week of the last one: about seven at most. */
  dates: readonly number[];
  /** The Monday of the last week that was added to the count, since each week is added only once. */
  counted: number | null;
}>;

export const noRun: StreakRun = {
  count: 0,
  longest: 0,
  last: null,
  from: 0,
  alive: 0,
  dates: [],
  counted: null,
};

const isAlive = (run: StreakRun, day: number) => run.count > 0 && day <= run.alive;

/** A broken streak starts again from nothing. */
const unlessBroken = (run: StreakRun, day: number): StreakRun =>
  isAlive(run, day) ? run : { ...run, count: 0, counted: null };

/** The run after a completion on a day that is later than all completed before it. */
export function completed(before: StreakRun, rules: Rules, day: number): StreakRun {
  const run = { ...unlessBroken(before, day), last: day, dates: [...before.dates, day] };
  const rhythm = rhythmOf(rules);
  const after =
    "times" in rhythm
      ? completedInWeek(run, rhythm.times, rules.grace_days)
      : { ...run, count: run.count + 1, ...dayDeadline(rhythm, rules.grace_days, day + 1, day) };
  const needed = "times" in rhythm ? Math.min(after.from, weekStart(day)) : weekStart(day);
  return {
    ...after,
    longest: Math.max(after.longest, after.count),
    dates: after.dates.filter((date) => date >= needed),
  };
}

/** A completion counts towards every week that is still open, but only its own week adds to the streak. */
function completedInWeek(run: StreakRun & { last: number }, times: number, grace: number): StreakRun {
  const monday = weekStart(run.last);
  const counts = numberSince(run.dates, monday) >= times && run.counted !== monday;
  const from = firstOpenWeek(run.dates, run.count === 0 ? monday : run.from, times);
  return {
    ...run,
    count: counts ? run.count + 1 : run.count,
    counted: counts ? monday : run.counted,
    from,
    alive: from === run.from && run.count > 0 ? run.alive : from + 6 + grace,
  };
}

/** The run after an edit to new rules: misses are forgiven, but a broken streak stays broken. */
export function edited(before: StreakRun, rules: Rules, day: number): StreakRun {
  const run = unlessBroken(before, day);
  const rhythm = rhythmOf(rules);
  if ("times" in rhythm) {
    const from = firstOpenWeek(run.dates, firstWholeWeek(day), rhythm.times);
    return { ...run, from, alive: from + 6 + rules.grace_days };
  }
  const from = run.last === day ? day + 1 : day;
  return { ...run, ...dayDeadline(rhythm, rules.grace_days, from, run.last) };
}

/** The run after a day that a time-zone or day-start change skipped or cut short: the streak lives one chance longer. */
export function skipped(run: StreakRun, rules: Rules, day: number): StreakRun {
  if (day < run.from || day > run.alive) return run;
  const rhythm = rhythmOf(rules);
  if (!("weekdays" in rhythm)) return { ...run, alive: run.alive + 1 };
  if (!rhythm.weekdays.includes(isoWeekday(day))) return run;
  return { ...run, alive: nthWeekday(rhythm.weekdays, run.alive + 1, 1) };
}

/** A streak lives through the first due day that grace does not forgive; `every_days` counts from the last completion. */
function dayDeadline(rhythm: DayRhythm, grace: number, day: number, last: number | null) {
  if ("weekdays" in rhythm) return { from: day, alive: nthWeekday(rhythm.weekdays, day, grace + 1) };
  const from = last === null ? day : Math.max(day, last + rhythm.every);
  return { from, alive: from + grace };
}

const firstWholeWeek = (day: number) => weekStart(day + 6);

function firstOpenWeek(dates: readonly number[], from: number, times: number): number {
  let monday = from;
  while (numberSince(dates, monday) >= times) monday += 7;
  return monday;
}

const numberSince = (dates: readonly number[], day: number) => dates.filter((date) => date >= day).length;
