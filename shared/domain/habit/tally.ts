import { isoWeekday, weekStart } from "../day/day.ts";
import { firstAsked, isFree, mondayAfterFree, noSpans, type Spans, withDays } from "./free-days.ts";
import { type DayRhythm, nthWeekday, rhythmOf } from "./rhythm.ts";
import type { Rules } from "./schedule.ts";

/** A streak up to some day, with the facts about the past that later days need. Days are day numbers. */
export type StreakTally = Readonly<{
  count: number;
  longest: number;
  /** The last completed day. */
  last: number | null;
  /** The day of the first edit since the last completion. */
  edited: number | null;
  /** Missed due days in a row before `from` that no edit forgave. */
  misses: number;
  /** The first day that can be missed; for week schedules the Monday of the first week with too few completions. */
  from: number;
  /** The last day on which the streak lives if nothing more is done, free days aside; meaningless while the count is 0. */
  alive: number;
  /** Completed days since `from`, and those in the week of the last one: about seven at most. */
  dates: readonly number[];
  /** Days that a change of zone or day start skipped or shortened, in order, while they can matter. */
  skipped: readonly number[];
  /** The Monday of the last counted week, because each week counts only once. */
  counted: number | null;
}>;

export const noTally: StreakTally = {
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

/** The rules of a habit, and the days that its pauses and skips make free. */
export type Demand = Readonly<{ rules: Rules; free: Spans }>;

/**
 * The last day on which the streak lives if nothing more is done. A tally contains no free days, because those after
 * it can still change: they only postpone its end.
 */
export function aliveThrough(tally: StreakTally, { rules, free }: Demand): number {
  if (free.length === 0) return tally.alive;
  const end = firstAsked(withDays(free, tally.skipped), tally.alive);
  // After an undo, other rules may be in force than those under which a settled tally ended.
  return deadline(tally, rules) > tally.alive ? end : Math.max(end, deadline(tally, rules, free));
}

const isAlive = (tally: StreakTally, demand: Demand, day: number) =>
  tally.count > 0 && day <= aliveThrough(tally, demand);

/** A broken streak starts again from nothing. */
const unlessBroken = (tally: StreakTally, demand: Demand, day: number): StreakTally =>
  isAlive(tally, demand, day) ? tally : { ...tally, count: 0, counted: null };

/** The tally after a completion on a day that is later than all completed before it. */
export function completed(before: StreakTally, demand: Demand, day: number): StreakTally {
  const { rules } = demand;
  const tally = unlessBroken(before, demand, day);
  const done = { ...tally, last: day, edited: null, misses: 0, dates: [...tally.dates, day] };
  const rhythm = rhythmOf(rules);
  const after =
    "times" in rhythm
      ? completedInWeek(done, rhythm.times, day)
      : { ...done, count: tally.count + 1, from: firstDue(rhythm, day + 1, day) };
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
function completedInWeek(tally: StreakTally, times: number, day: number): StreakTally {
  const monday = weekStart(day);
  const counts = numberSince(tally.dates, monday) >= times && tally.counted !== monday;
  return {
    ...tally,
    count: counts ? tally.count + 1 : tally.count,
    counted: counts ? monday : tally.counted,
    from: firstOpenWeek(tally.dates, tally.count === 0 ? monday : tally.from, times),
  };
}

/**
 * The tally after an edit. The first edit since the last completion forgives earlier misses, and week schedules then
 * count whole weeks. A further edit only changes the rules. A broken streak stays broken.
 */
export function edited(before: StreakTally, old: Demand, rules: Rules, day: number): StreakTally {
  const tally = unlessBroken(before, old, day);
  const rhythm = rhythmOf(rules);
  const first = tally.edited ?? day;
  const after = {
    ...tally,
    edited: first,
    misses: tally.edited === null ? 0 : tally.misses + missedUntil(tally, old, day),
    from:
      "times" in rhythm
        ? firstOpenWeek(tally.dates, weekStart(first + 6), rhythm.times)
        : firstDue(rhythm, tally.last === day ? day + 1 : day, tally.last),
  };
  return { ...after, alive: Math.max(day, deadline(after, rules)) };
}

/** The number of due days since `from` that are over, all of them missed. */
export function missedUntil({ from, skipped }: StreakTally, { rules, free }: Demand, day: number): number {
  const rhythm = rhythmOf(rules);
  if ("times" in rhythm) return 0;
  let missed = 0;
  for (let one = from; one < day; one++)
    if (asksFor(rhythm, one) && !skipped.includes(one) && !isFree(free, one)) missed++;
  return missed;
}

/** The tally after a day that a change of zone or day start skipped or shortened: it breaks no streak. */
export function skipped(tally: StreakTally, demand: Demand, day: number): StreakTally {
  const end = aliveThrough(tally, demand);
  const isBroken = tally.count === 0 || end < day;
  const needed = isBroken ? weekStart(day) : Math.min(tally.from, tally.edited ?? tally.from, weekStart(day));
  const after = { ...tally, skipped: [...tally.skipped.filter((date) => date >= needed), day] };
  const alive = tally.alive === day ? day + 1 : isBroken ? end : tally.alive;
  return { ...after, alive: Math.max(alive, deadline(after, demand.rules)) };
}

/**
 * The last day of a streak without further completions: the first due day that grace does not forgive,
 * or the end of the grace after the first week with too few completions. Skipped and free days postpone it.
 */
function deadline(tally: StreakTally, rules: Rules, free: Spans = noSpans): number {
  const { from, misses, skipped, dates } = tally;
  const rhythm = rhythmOf(rules);
  if ("times" in rhythm) {
    const monday = free.length === 0 ? from : firstAskingWeek(dates, from, rhythm.times, free);
    return nthAsked({ every: 1 }, monday, 7 + rules.grace_days, withDays(free, skipped));
  }
  const chances = 1 + Math.max(0, rules.grace_days - misses);
  return nthAsked(rhythm, from, chances, withDays(free, skipped));
}

/** The nth due day from a day on, outside all spans. */
function nthAsked(rhythm: DayRhythm, from: number, nth: number, spans: Spans): number {
  let day = from === Number.POSITIVE_INFINITY ? from : nthDue(rhythm, from, nth);
  for (const [begin, end] of spans) {
    if (end < from || begin > day) continue;
    const lost = numberDue(rhythm, Math.max(begin, from), day);
    if (lost > 0) day = end === Number.POSITIVE_INFINITY ? end : nthDue(rhythm, end + 1, lost);
  }
  return day;
}

function numberDue(rhythm: DayRhythm, from: number, through: number): number {
  if (!("weekdays" in rhythm) || through === Number.POSITIVE_INFINITY) return through - from + 1;
  let number = 0;
  for (let day = from; day <= through; day++) if (asksFor(rhythm, day)) number++;
  return number;
}

/** `every_days` counts from the last completion. */
const firstDue = (rhythm: DayRhythm, day: number, last: number | null): number =>
  "weekdays" in rhythm || last === null ? day : Math.max(day, last + rhythm.every);

/** True if the rhythm has a day that is late enough after the last completion. */
const asksFor = (rhythm: DayRhythm, day: number): boolean =>
  !("weekdays" in rhythm) || rhythm.weekdays.includes(isoWeekday(day));

const nthDue = (rhythm: DayRhythm, from: number, nth: number): number =>
  "weekdays" in rhythm ? nthWeekday(rhythm.weekdays, from, nth) : from + nth - 1;

/** The first week from a Monday on that has too few completions and no free day. */
function firstAskingWeek(dates: readonly number[], from: number, times: number, free: Spans): number {
  const open = firstOpenWeek(dates, from, times);
  const monday = mondayAfterFree(free, open);
  if (monday === open || monday === Number.POSITIVE_INFINITY) return monday;
  return firstAskingWeek(dates, monday, times, free);
}

function firstOpenWeek(dates: readonly number[], from: number, times: number): number {
  let monday = from;
  while (numberSince(dates, monday) >= times) monday += 7;
  return monday;
}

const numberSince = (dates: readonly number[], day: number) => dates.filter((date) => date >= day).length;
