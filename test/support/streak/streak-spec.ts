import { dateOfDay, isoWeekday, weekStart } from "../../../shared/domain/day/day.ts";
import type { Rules } from "../../../shared/domain/habit/schedule.ts";

/**
 * Recomputes the streak from everything that ever happened, day by day. It is slow but obvious, and
 * shared/domain/habit/streak.ts must always agree with it. Days are day numbers.
 */

export type Deed = { on: number } & ({ what: "completed" } | { what: "edited"; to: Rules });

/**
 * The history of a habit: deeds in the order of the commands, and the days that a time-zone or day-start change skipped
 * or cut short and that have not passed like ordinary days since.
 */
export type Diary = { rules: Rules; deeds: Deed[]; today: number; skipped: Set<number> };

export const emptyDiary = (rules: Rules, today: number): Diary => ({
  rules,
  deeds: [],
  today,
  skipped: new Set(),
});

export const doneDays = ({ deeds }: Diary) =>
  deeds.filter(({ what }) => what === "completed").map(({ on }) => on);

/** Undoes a completion, as if it had never been there. */
export function removeCompletion(diary: Diary, day: number): void {
  diary.deeds = diary.deeds.filter(({ on, what }) => on !== day || what !== "completed");
}

/** The clock runs on until it is that day: the days in between pass. */
export function passUntil(diary: Diary, today: number): void {
  for (let day = diary.today; day < today; day++) diary.skipped.delete(day);
  diary.today = today;
}

/** Another zone or start of day makes it that day: days in between are skipped. */
export function jumpTo(diary: Diary, today: number): void {
  for (let day = diary.today; day < today; day++) diary.skipped.add(day);
  diary.today = today;
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
  /** True if the rules were edited since the last completion. */
  edited: boolean;
  /** Used by day schedules: the number of due days missed in a row. */
  misses: number;
  /** Used by week schedules: the first week that can be missed, and the last week counted. */
  firstWeek: number;
  countedWeek: number | null;
};

/** Goes through the diary day by day, and then on, as if nothing more was done, until the streak breaks. */
export function recompute({ rules, deeds, skipped, today }: Diary) {
  const story = begin(rules, skipped);
  const ordered = inOrderOfDays(deeds);
  let day = ordered[0]?.on ?? 0;
  for (const deed of ordered) {
    while (day < deed.on) endDay(story, day++);
    if (deed.what === "completed") completion(story, day);
    else edit(story, deed.to, day);
  }
  const { count, longest } = story;
  // A skipped day that came again will pass like any other, but until then a deed on a later day rests on it.
  story.skipped = new Set([...skipped].filter((one) => one < today || one < day));
  while (story.count > 0) endDay(story, day++);
  return {
    streak_count: count,
    longest_streak: longest,
    alive_through: count === 0 ? null : dateOfDay(day - 1),
  };
}

function begin(rules: Rules, skipped: Set<number>): Story {
  const nothing = { count: 0, longest: 0, edited: false, misses: 0, firstWeek: 0, countedWeek: null };
  return { rules, skipped, done: [], ...nothing };
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

/** A week counts once, at the completion that gives it enough. The first week of a streak cannot be late. */
function completionInWeek(story: Story, times: number, week: number): void {
  if (story.count === 0) story.firstWeek = week;
  if (doneInWeek(story.done, week) < times || story.countedWeek === week) return;
  story.countedWeek = week;
  story.count++;
}

/** The first edit after a completion forgives earlier misses, and week schedules ask for whole weeks from then on. */
function edit(story: Story, to: Rules, day: number): void {
  story.rules = to;
  if (story.edited) return;
  story.edited = true;
  story.misses = 0;
  story.firstWeek = isoWeekday(day) === 1 ? day : weekStart(day) + 7;
}

/** Ends a day, which breaks the streak when too much was missed. */
function endDay(story: Story, day: number): void {
  if (story.count === 0 || story.skipped.has(day)) return;
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
 * Only the first week with too few completions can be too late, because completions count for every open week. Every
 * skipped day from its Monday on, up to the end of its grace, gives it a day more.
 */
function tooLate(story: Story, times: number, day: number): boolean {
  let week = story.firstWeek;
  while (story.done.filter((on) => on >= week).length >= times) week += 7;
  let last = week + 6 + story.rules.grace_days;
  for (let one = week; one <= last; one++) if (story.skipped.has(one)) last++;
  return day >= last;
}

const timesAWeek = ({ frequency, schedule }: Rules): number | null => {
  if (frequency === "weekly") return 1;
  return schedule && "times_per_week" in schedule ? schedule.times_per_week : null;
};

const doneInWeek = (done: number[], week: number) => done.filter((on) => weekStart(on) === week).length;

/** True if the rules ask for a day, given all completed days; a week before the last completion's is over. */
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
