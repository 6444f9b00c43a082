import { dateOfDay, dayNumber, isoWeekday, weekStart } from "../../../shared/domain/day/day.ts";
import type { PauseDates } from "../../../shared/domain/habit/free-days.ts";
import type { Rules } from "../../../shared/domain/habit/rhythm.ts";

/**
 * Recomputes the streak from everything that ever happened, day by day. It is slow but obvious, and
 * shared/domain/habit/streak.ts must always agree with it. Days are day numbers.
 */

export type HabitEvent = { on: number } & ({ what: "completed" } | { what: "edited"; to: Rules });

/**
 * The history of a habit: events in the order of the commands, and the days that a time-zone or day-start change skipped
 * or cut short and that have not passed like ordinary days since.
 */
export type Timeline = {
  rules: Rules;
  events: HabitEvent[];
  today: number;
  skipped: Set<number>;
  free: Free;
};

/** Free days: paused ones, all from one day on during a pause without an end, and skipped ones. */
export type Free = { paused: Set<number>; pausedFrom: number; skips: Set<number> };

export const emptyTimeline = (rules: Rules, today: number): Timeline => ({
  rules,
  events: [],
  today,
  skipped: new Set(),
  free: { paused: new Set(), pausedFrom: Number.POSITIVE_INFINITY, skips: new Set() },
});

/** Sets or ends the pause. Past days of the earlier pause stay free, and the new one begins at most a week back. */
export function pauseFor({ free, today }: Timeline, { paused_from, paused_through }: PauseDates): void {
  for (let day = free.pausedFrom; day < today; day++) free.paused.add(day);
  for (const day of free.paused) if (day >= today) free.paused.delete(day);
  free.pausedFrom = Number.POSITIVE_INFINITY;
  if (paused_from === null) return;
  const begin = Math.max(dayNumber(paused_from), today - 7);
  if (paused_through === null) free.pausedFrom = begin;
  else for (let day = begin; day <= dayNumber(paused_through); day++) free.paused.add(day);
}

export const isFreeDay = ({ paused, pausedFrom, skips }: Free, day: number): boolean =>
  day >= pausedFrom || paused.has(day) || skips.has(day);

const isFreeWeek = (free: Free, monday: number): boolean =>
  [0, 1, 2, 3, 4, 5, 6].some((days) => isFreeDay(free, monday + days));

export const doneDays = ({ events }: Timeline) =>
  events.filter(({ what }) => what === "completed").map(({ on }) => on);

/** Undoes a completion, as if it had never been there. */
export function removeCompletion(timeline: Timeline, day: number): void {
  timeline.events = timeline.events.filter(({ on, what }) => on !== day || what !== "completed");
}

/** Moves today forward: the days in between pass. */
export function passUntil(timeline: Timeline, today: number): void {
  for (let day = timeline.today; day < today; day++) timeline.skipped.delete(day);
  timeline.today = today;
}

/** Another zone or start of day moves today: the days in between are skipped. */
export function jumpTo(timeline: Timeline, today: number): void {
  for (let day = timeline.today; day < today; day++) timeline.skipped.add(day);
  timeline.today = today;
}

/** Orders events by day. After today moved back, an edit counts from the latest day completed or edited so far. */
function inOrderOfDays(events: HabitEvent[]): HabitEvent[] {
  const latest = (i: number) => Math.max(...events.slice(0, i + 1).map(({ on }) => on));
  const dated = events.map((event, i) => (event.what === "edited" ? { ...event, on: latest(i) } : event));
  return dated.sort((a, b) => a.on - b.on);
}

type Story = {
  rules: Rules;
  skipped: Set<number>;
  free: Free;
  done: number[];
  count: number;
  longest: number;
  /** True if the rules were edited since the last completion. */
  edited: boolean;
  /** Used by day schedules: the number of due days missed in a row. */
  misses: number;
  /** Used by week schedules: the first week that can be missed, and the last week counted. */
  firstWeek: number;
  countedWeek: number | null;
};

/** Goes through the timeline day by day, and on without further events until the streak breaks. */
export function recompute({ rules, events, skipped, free, today }: Timeline) {
  const story = begin(rules, skipped, free);
  const ordered = inOrderOfDays(events);
  let day = ordered[0]?.on ?? 0;
  for (const event of ordered) {
    while (day < event.on) endDay(story, day++);
    if (event.what === "completed") completion(story, day);
    else edit(story, event.to, day);
  }
  const { count, longest } = story;
  // A skipped day that came again will pass like any other, but until then an event on a later day stands after it.
  story.skipped = new Set([...skipped].filter((one) => one < today || one < day));
  while (story.count > 0 && day < free.pausedFrom) endDay(story, day++);
  return {
    streak_count: count,
    longest_streak: longest,
    alive_through: count === 0 ? null : story.count > 0 ? "9999-12-31" : dateOfDay(day - 1),
  };
}

function begin(rules: Rules, skipped: Set<number>, free: Free): Story {
  const nothing = { count: 0, longest: 0, edited: false, misses: 0, firstWeek: 0, countedWeek: null };
  return { rules, skipped, free, done: [], ...nothing };
}

function completion(story: Story, day: number): void {
  story.done.push(day);
  story.misses = 0;
  story.edited = false;
  const times = timesAWeek(story.rules);
  if (times === null) story.count++;
  else completionInWeek(story, times, weekStart(day));
  story.longest = Math.max(story.longest, story.count);
}

/** A week counts once, at the completion that fills its number. The first week of a streak cannot be late. */
function completionInWeek(story: Story, times: number, week: number): void {
  if (story.count === 0) story.firstWeek = week;
  if (doneInWeek(story.done, week) < times || story.countedWeek === week) return;
  story.countedWeek = week;
  story.count++;
}

/** The first edit after a completion forgives earlier misses, and week schedules then count whole weeks. */
function edit(story: Story, to: Rules, day: number): void {
  story.rules = to;
  if (story.edited) return;
  story.edited = true;
  story.misses = 0;
  story.firstWeek = isoWeekday(day) === 1 ? day : weekStart(day) + 7;
}

/** Ends a day, which breaks the streak when too much was missed. */
function endDay(story: Story, day: number): void {
  if (story.count === 0 || story.skipped.has(day) || isFreeDay(story.free, day)) return;
  const times = timesAWeek(story.rules);
  const broken = times === null ? tooManyMisses(story, day) : tooLate(story, times, day);
  if (!broken) return;
  story.count = 0;
  story.countedWeek = null;
}

function tooManyMisses(story: Story, day: number): boolean {
  if (!isDue(story.rules, story.done, day) || story.done.includes(day)) return false;
  story.misses++;
  return story.misses > story.rules.grace_days;
}

/**
 * Only the first week with too few completions can be late, because completions count for every open week, and
 * weeks with a free day ask for nothing. Every skipped or free day from its Monday to the end of its grace
 * lengthens it by a day.
 */
function tooLate(story: Story, times: number, day: number): boolean {
  const { done, free, skipped } = story;
  let week = story.firstWeek;
  while (week <= day && (done.filter((on) => on >= week).length >= times || isFreeWeek(free, week)))
    week += 7;
  let last = week + 6 + story.rules.grace_days;
  for (let one = week; one <= last && last <= day; one++)
    if (skipped.has(one) || isFreeDay(free, one)) last++;
  return day >= last;
}

const timesAWeek = ({ frequency, schedule }: Rules): number | null => {
  if (frequency === "weekly") return 1;
  return schedule && "times_per_week" in schedule ? schedule.times_per_week : null;
};

const doneInWeek = (done: readonly number[], week: number) =>
  done.filter((on) => weekStart(on) === week).length;

/** True if the habit is due on a day under its present rules; never on a free day, or in a week with one. */
export function asksFor(timeline: Timeline, rules: Rules, day: number): boolean {
  const { free } = timeline;
  const isFree = timesAWeek(rules) === null ? isFreeDay(free, day) : isFreeWeek(free, weekStart(day));
  return !isFree && isDue(rules, doneDays(timeline), day);
}

/** True if the rules make a day due, given all completed days; a week before that of the last completion is over. */
export function isDue(rules: Rules, done: readonly number[], day: number): boolean {
  if (rules.schedule && "weekdays" in rules.schedule)
    return rules.schedule.weekdays.includes(isoWeekday(day));
  if (done.length === 0) return true;
  const last = Math.max(...done);
  const times = timesAWeek(rules);
  if (times !== null) return weekStart(day) >= weekStart(last) && doneInWeek(done, weekStart(day)) < times;
  const every = rules.schedule && "every_days" in rules.schedule ? rules.schedule.every_days : 1;
  return every === 1 || day >= last + every;
}
