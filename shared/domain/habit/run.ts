import { isoWeekday, weekStart } from "../day/day.ts";
import { type DayRhythm, nthWeekday, rhythmOf } from "./rhythm.ts";
import type { Rules } from "./schedule.ts";

/** A streak after some day, with all facts of the past that later days need. Days are day numbers. */
export type StreakRun = Readonly<{
  count: number;
  longest: number;
  /** The last completed day. */
  last: number | null;
  /** The day of the first edit since the last completion. */
  edited: number | null;
  /** Due days missed in a row before `from` that no edit forgave. */
  misses: number;
  /** The first day that can be missed; for week schedules the Monday of the first week with too few completions. */
  from: number;
  /** The last day on which the streak lives if nothing more is done; meaningless while the count is 0. */
  alive: number;
  /** Completed days since `from` and those in the week of the last one: about seven at most. */
  dates: readonly number[];
  /** Days that a time-zone or day-start change skipped or cut short, as long as they can matter, in order. */
  skipped: readonly number[];
  /** The Monday of the last week that was added to the count, since each week is added only once. */
  counted: number | null;
}>;

export const noRun: StreakRun = {
  count: 0,
  longest: 0,
  last: null,
  edited: null,
  misses: 0,
  from: 0,
  alive: 0,
  dates: [],
  skipped: [],
  counted: null,
};

const isAlive = (run: StreakRun, day: number) => run.count > 0 && day <= run.alive;

/** A broken streak starts again from nothing. */
const unlessBroken = (run: StreakRun, day: number): StreakRun =>
  isAlive(run, day) ? run : { ...run, count: 0, counted: null };

/** The run after a completion on a day that is later than all completed before it. */
export function completed(before: StreakRun, rules: Rules, day: number): StreakRun {
  const run = unlessBroken(before, day);
  const done = { ...run, last: day, edited: null, misses: 0, dates: [...run.dates, day] };
  const rhythm = rhythmOf(rules);
  const after =
    "times" in rhythm
      ? completedInWeek(done, rhythm.times, day)
      : { ...done, count: run.count + 1, from: firstDue(rhythm, day + 1, day) };
  const needed = "times" in rhythm ? Math.min(after.from, weekStart(day)) : weekStart(day);
  return {
    ...after,
    longest: Math.max(after.longest, after.count),
    alive: Math.max(day, deadline(after, rules)),
    dates: after.dates.filter((date) => date >= needed),
    skipped: after.skipped.filter((date) => date >= needed),
  };
}

/** A completion counts towards every week that is still open, but only its own week adds to the streak. */
function completedInWeek(run: StreakRun, times: number, day: number): StreakRun {
  const monday = weekStart(day);
  const counts = numberSince(run.dates, monday) >= times && run.counted !== monday;
  return {
    ...run,
    count: counts ? run.count + 1 : run.count,
    counted: counts ? monday : run.counted,
    from: firstOpenWeek(run.dates, run.count === 0 ? monday : run.from, times),
  };
}

/**
 * The run after an edit. The first one since the last completion forgives what was missed until then, and week
 * schedules ask for whole weeks from then on. A further one changes the rules only. A broken streak stays broken.
 */
export function edited(before: StreakRun, old: Rules, rules: Rules, day: number): StreakRun {
  const run = unlessBroken(before, day);
  const rhythm = rhythmOf(rules);
  const first = run.edited ?? day;
  const after = {
    ...run,
    edited: first,
    misses: run.edited === null ? 0 : run.misses + missedUntil(run, old, day),
    from:
      "times" in rhythm
        ? firstOpenWeek(run.dates, weekStart(first + 6), rhythm.times)
        : firstDue(rhythm, run.last === day ? day + 1 : day, run.last),
  };
  return { ...after, alive: Math.max(day, deadline(after, rules)) };
}

/** The number of past due days since `from`, all of them missed. */
export function missedUntil({ from, skipped }: StreakRun, rules: Rules, day: number): number {
  const rhythm = rhythmOf(rules);
  if ("times" in rhythm) return 0;
  let missed = 0;
  for (let one = from; one < day; one++) if (asksFor(rhythm, one) && !skipped.includes(one)) missed++;
  return missed;
}

/** The run after a day that a time-zone or day-start change skipped or cut short: no streak breaks on it. */
export function skipped(run: StreakRun, rules: Rules, day: number): StreakRun {
  const needed = isAlive(run, day)
    ? Math.min(run.from, run.edited ?? run.from, weekStart(day))
    : weekStart(day);
  const after = { ...run, skipped: [...run.skipped.filter((date) => date >= needed), day] };
  const alive = run.alive === day ? day + 1 : run.alive;
  return { ...after, alive: Math.max(alive, deadline(after, rules)) };
}

/**
 * The last day of a streak without further completions: the first due day that grace does not forgive,
 * or the end of the grace after the first week with too few completions. Skipped days postpone it.
 */
function deadline({ from, misses, skipped }: StreakRun, rules: Rules): number {
  const rhythm = rhythmOf(rules);
  const isWeekly = "times" in rhythm;
  const days: DayRhythm = isWeekly ? { every: 1 } : rhythm;
  const chances = isWeekly ? 7 + rules.grace_days : 1 + Math.max(0, rules.grace_days - misses);
  let day = nthDue(days, from, chances);
  for (const one of skipped)
    if (one >= from && one <= day && asksFor(days, one)) day = nthDue(days, day + 1, 1);
  return day;
}

/** `every_days` counts from the last completion. */
const firstDue = (rhythm: DayRhythm, day: number, last: number | null): number =>
  "weekdays" in rhythm || last === null ? day : Math.max(day, last + rhythm.every);

/** True if the rhythm includes a day that is late enough after the last completion. */
const asksFor = (rhythm: DayRhythm, day: number): boolean =>
  !("weekdays" in rhythm) || rhythm.weekdays.includes(isoWeekday(day));

const nthDue = (rhythm: DayRhythm, from: number, nth: number): number =>
  "weekdays" in rhythm ? nthWeekday(rhythm.weekdays, from, nth) : from + nth - 1;

function firstOpenWeek(dates: readonly number[], from: number, times: number): number {
  let monday = from;
  while (numberSince(dates, monday) >= times) monday += 7;
  return monday;
}

const numberSince = (dates: readonly number[], day: number) => dates.filter((date) => date >= day).length;
