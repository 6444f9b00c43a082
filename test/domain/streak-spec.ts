import { dateOfDay, isoWeekday, weekStart } from "../../shared/domain/day.ts";
import type { Rules } from "../../shared/domain/schedule.ts";

/**
 * The streak recomputed from everything that ever happened, day by day: slow, obvious, and the meaning of
 * shared/domain/streak.ts, which must always agree with it. Days are day numbers.
 */

export type Deed = { on: number } & ({ what: "completed" } | { what: "edited"; to: Rules });

/** What happened to a habit: deeds in their order, and the days that a time-zone or day-start change skipped or cut short. */
export type Diary = { rules: Rules; deeds: Deed[]; skipped: Set<number> };

export const emptyDiary = (rules: Rules): Diary => ({ rules, deeds: [], skipped: new Set() });

export const doneDays = ({ deeds }: Diary) =>
  deeds.filter(({ what }) => what === "completed").map(({ on }) => on);

/** An undone completion was never there. */
export function strike(diary: Diary, day: number): void {
  diary.deeds = diary.deeds.filter(({ on, what }) => on !== day || what !== "completed");
}

/** In the order of days. After today moved back, an edit counts from the latest day completed or edited so far. */
function inOrderOfDays(deeds: Deed[]): Deed[] {
  const latest = (i: number) => Math.max(...deeds.slice(0, i + 1).map(({ on }) => on));
  const dated = deeds.map((deed, i) => (deed.what === "edited" ? { ...deed, on: latest(i) } : deed));
  return dated.sort((a, b) => a.on - b.on);
}

type Story = {
  rules: Rules;
  skipped: Set<number>;
  done: number[];
  count: number;
  longest: number;
  /** Day schedules: due days missed in a row. */
  misses: number;
  /** Week schedules: the first week that can be missed, days more for each week, the last week counted. */
  firstWeek: number;
  moreDays: Map<number, number>;
  countedWeek: number | null;
};

/** Lives through the diary, then waits until the streak breaks. */
export function recompute({ rules, deeds, skipped }: Diary) {
  const story = begin(rules, skipped);
  const ordered = inOrderOfDays(deeds);
  let day = ordered[0]?.on ?? 0;
  for (const deed of ordered) {
    while (day < deed.on) night(story, day++);
    if (deed.what === "completed") completion(story, day);
    else edit(story, deed.to, day);
  }
  const { count, longest } = story;
  while (story.count > 0) night(story, day++);
  return {
    streak_count: count,
    longest_streak: longest,
    alive_through: count === 0 ? null : dateOfDay(day - 1),
  };
}

function begin(rules: Rules, skipped: Set<number>): Story {
  const nothing = { count: 0, longest: 0, misses: 0, firstWeek: 0, countedWeek: null };
  return { rules, skipped, done: [], moreDays: new Map(), ...nothing };
}

function completion(story: Story, day: number): void {
  story.done.push(day);
  story.misses = 0;
  const times = timesAWeek(story.rules);
  if (times === null) story.count++;
  else completionInWeek(story, times, weekStart(day));
  story.longest = Math.max(story.longest, story.count);
}

/** A week counts once, when a completion finds it with its number. The first week of a streak cannot be late. */
function completionInWeek(story: Story, times: number, week: number): void {
  if (story.count === 0) demandFrom(story, week);
  if (doneInWeek(story.done, week) < times || story.countedWeek === week) return;
  story.countedWeek = week;
  story.count++;
}

/** What was missed before is forgiven; week schedules demand whole weeks only. A broken streak stays at 0. */
function edit(story: Story, to: Rules, day: number): void {
  story.rules = to;
  story.misses = 0;
  demandFrom(story, isoWeekday(day) === 1 ? day : weekStart(day) + 7);
}

function demandFrom(story: Story, week: number): void {
  story.firstWeek = week;
  story.moreDays.clear();
}

/** Ends a day, which breaks the streak when too much was missed. */
function night(story: Story, day: number): void {
  if (story.count === 0) return;
  const times = timesAWeek(story.rules);
  const broken = times === null ? tooManyMisses(story, day) : tooLate(story, times, day);
  if (!broken) return;
  story.count = 0;
  story.countedWeek = null;
}

function tooManyMisses(story: Story, day: number): boolean {
  const missed = isDue(story.rules, story.done, day) && !story.done.includes(day) && !story.skipped.has(day);
  if (missed) story.misses++;
  return story.misses > story.rules.grace_days;
}

/** Only the first week that lacks its number can be too late: all that it has, the weeks after it lack too. */
function tooLate(story: Story, times: number, day: number): boolean {
  let week = story.firstWeek;
  while (story.done.filter((on) => on >= week).length >= times) week += 7;
  if (day < week) return false;
  const more = (story.moreDays.get(week) ?? 0) + (story.skipped.has(day) ? 1 : 0);
  story.moreDays.set(week, more);
  return day >= week + 6 + story.rules.grace_days + more;
}

const timesAWeek = ({ frequency, schedule }: Rules): number | null => {
  if (frequency === "weekly") return 1;
  return schedule && "times_per_week" in schedule ? schedule.times_per_week : null;
};

const doneInWeek = (done: number[], week: number) => done.filter((on) => weekStart(on) === week).length;

/** Whether the rules ask for a day, given all completed days; a week before the last completion's is over. */
export function isDue(rules: Rules, done: number[], day: number): boolean {
  if (rules.schedule && "weekdays" in rules.schedule)
    return rules.schedule.weekdays.includes(isoWeekday(day));
  if (done.length === 0) return true;
  const last = Math.max(...done);
  const times = timesAWeek(rules);
  if (times !== null) return weekStart(day) >= weekStart(last) && doneInWeek(done, weekStart(day)) < times;
  const every = rules.schedule && "every_days" in rules.schedule ? rules.schedule.every_days : 1;
  return every === 1 || day >= last + every;
}
