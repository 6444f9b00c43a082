import { dateOfDay, dayNumber, isoWeekday, weekStart } from "../day/day.ts";
import {
  type FreeDays,
  firstAsked,
  isFree,
  multirangeOf,
  type Spans,
  spansOf,
  wholeWeeks,
  withDays,
} from "./free-days.ts";
import { doneDays, editPlaces, type HabitHistory, neutralDates } from "./history.ts";
import type { Rules } from "./rhythm.ts";
import { nthAsked, nthDue, type Rhythm, rhythmOf } from "./rhythm.ts";

/** The streak and its dates as columns that queries compare with today: it is 0 once today is after `streak_alive_through`. */
export type StreakColumns = Readonly<{
  streak: number;
  longest_streak: number;
  /** Null while there is no streak. */
  streak_alive_through: string | null;
  completions_count: number;
  /** The first day on which the habit is due again; null when it is due every day or on fixed weekdays. */
  next_due: string | null;
  /** Every completed day that can still be today, now or after a time-zone change. */
  recent_dates: string[];
  /** The free days, as text of PostgreSQL's type datemultirange; with a week schedule, whole weeks. */
  free_dates: string;
}>;

/** The end of a streak that a pause without an end keeps alive. */
export const endless = "9999-12-31";

/** A time-zone or day-start change moves today back by two days at most; the third day is for clocks that differ. */
const daysOfMoves = 3;

/** All columns that follow from a habit's history, computed from its beginning. */
export function streakColumns(history: HabitHistory, today: string): StreakColumns {
  const done = doneDays(history);
  const story = lived(history, done, today);
  const end = story.count === 0 ? null : aliveThrough(story);
  const last = done.at(-1) ?? 0;
  return {
    streak: story.count,
    longest_streak: story.longest,
    streak_alive_through: end === null ? null : dateOfDay(Math.min(end, dayNumber(endless))),
    completions_count: done.length,
    next_due: nextDue(rhythmOf(history), done),
    recent_dates: done
      .slice(-1 - daysOfMoves)
      .filter((day) => day >= last - daysOfMoves)
      .map(dateOfDay),
    free_dates: multirangeOf(freeSpans(history)),
  };
}

/** A streak: its first and last completion, and its length. */
type StreakRun = Readonly<{ from: number; through: number; count: number }>;

/** All streaks in order, the present one at the end. */
export function streakRuns(history: HabitHistory, today: string): readonly StreakRun[] {
  const story = lived(history, doneDays(history), today);
  return story.count === 0 ? story.broken : [...story.broken, runOf(story)];
}

const runOf = ({ since, done, seen, count }: Story): StreakRun => ({
  ...{ from: since, through: done[seen - 1] ?? since, count },
});

/** `every_days` counts from the last completion. A week with enough completions makes the habit due again on Monday. */
function nextDue(rhythm: Rhythm, done: readonly number[]): string | null {
  const last = done.at(-1);
  if (last === undefined || "weekdays" in rhythm) return null;
  if ("every" in rhythm) return rhythm.every === 1 ? null : dateOfDay(last + rhythm.every);
  const monday = weekStart(last);
  return dateOfDay((done.at(-rhythm.times) ?? 0) >= monday ? monday + 7 : monday);
}

/** With a week schedule, a free day frees its week. */
function freeSpans(habit: Rules & FreeDays): Spans {
  const spans = spansOf(habit);
  return "times" in rhythmOf(habit) ? wholeWeeks(spans) : spans;
}

/** The columns and fields on which a habit's due days depend. */
export type DueColumns = Rules &
  FreeDays &
  Readonly<{ recent_dates: readonly string[] }> &
  Readonly<{ next_due?: string | null | undefined }>;

/**
 * True if the habit belongs to the user's day: it was completed today, or its rules ask for today. `dueOn` of
 * api/queries/habit/read.ts is the same rule in SQL, and test/service/habit/due-habits.test.ts compares the two.
 */
export const isDueOn = (habit: DueColumns, today: string): boolean =>
  habit.recent_dates.includes(today) || nextAsked(habit, dayNumber(today)) === dayNumber(today);

/** The first day from a day on for which the rules ask; Infinity in a pause without an end. */
export function nextAsked(habit: DueColumns, from: number): number {
  const rhythm = rhythmOf(habit);
  const free = freeSpans(habit);
  let day = Math.max(from, habit.next_due == null ? from : dayNumber(habit.next_due));
  for (let before = Number.NaN; day !== before && day !== Number.POSITIVE_INFINITY; ) {
    before = day;
    day = firstAsked(free, "weekdays" in rhythm ? nthDue(rhythm, day, 1) : day);
  }
  return day;
}

/**
 * The misses that a living streak still forgives: due days in a row, or days after the end of a week with too few
 * completions. The streak lives as long as it forgives, so its last day tells them.
 */
export function graceLeft(
  habit: DueColumns & Readonly<{ streak_alive_through?: string | null | undefined }>,
  today: string,
): number {
  const { grace_days, streak_alive_through: end } = habit;
  if (end == null || end === endless) return grace_days;
  const [from, last] = [dayNumber(today), dayNumber(end)];
  if ("times" in rhythmOf(habit)) return Math.max(0, Math.min(last - from, grace_days));
  let left = -1;
  const isDone = habit.recent_dates.includes(today);
  for (let day = nextAsked(habit, isDone ? from + 1 : from); day <= last; day = nextAsked(habit, day + 1))
    left++;
  return Math.max(0, Math.min(left, grace_days));
}

/** The streak as it grows event by event, with the facts about the past that later days need. Days are day numbers. */
type Story = {
  readonly done: readonly number[];
  seen: number;
  rules: Rules;
  rhythm: Rhythm;
  /** The number of completions that each week asks for; 0 with a day schedule. */
  times: number;
  /** The days from the last completion to the next due day, and from each fixed weekday (1 is Monday) to the next one. */
  every: number;
  waits: readonly number[] | null;
  /** The days on which nothing can be missed, and the weeks that ask for nothing. */
  free: Spans;
  readonly freeWeeks: Spans;
  count: number;
  longest: number;
  /** The day on which the present streak began, and the streaks before it. */
  since: number;
  readonly broken: StreakRun[];
  /** The day of the last event. */
  at: number;
  /** The first day that can be missed, and the due days missed in a row before it. */
  from: number;
  misses: number;
  /** For week schedules: the first week that can be missed, and the last week counted. */
  firstWeek: number;
  countedWeek: number | null;
  /** True if the rules were edited since the last completion. */
  isEdited: boolean;
};

/** Lives the whole history: completions by day, and each edit in its place between them. */
function lived(history: HabitHistory, done: readonly number[], today: string): Story {
  const { edits } = history;
  const places = editPlaces(history);
  const rulesAfter = (index: number): Rules => edits[index]?.until ?? history;
  const free = spansOf(history);
  const neutral = neutralDates(history, today).map(dayNumber);
  const story = begun(done, rulesAfter(0), free);
  story.free = withDays(free, neutral);
  let next = 0;
  const editUntil = (day: number): void => {
    for (let place = places[next]; place !== undefined; place = places[++next]) {
      if (place.on > day || (place.on === day && place.isAfterDone)) return;
      edit(story, rulesAfter(next + 1), place.on);
    }
  };
  for (const day of done) {
    if (next < places.length) editUntil(day);
    complete(story, day);
  }
  editUntil(Number.POSITIVE_INFINITY);
  // A neutral day that came again will pass like any other, but until then an event on a later day stands after it.
  const over = Math.max(story.at, dayNumber(today));
  story.free = withDays(
    free,
    neutral.filter((day) => day < over),
  );
  return story;
}

const begun = (done: readonly number[], rules: Rules, free: Spans): Story => ({
  done,
  seen: 0,
  rules,
  ...rhythmIn(rules),
  free,
  freeWeeks: wholeWeeks(free),
  count: 0,
  longest: 0,
  since: 0,
  broken: [],
  at: 0,
  from: 0,
  misses: 0,
  firstWeek: 0,
  countedWeek: null,
  isEdited: false,
});

/** A Sunday and the week after it, so that each weekday stands at its number. */
const week = Array.from({ length: 8 }, (_, weekday) => weekStart(0) - 1 + weekday);

/** Facts of the rhythm, looked up once, because each of thousands of completions needs them. */
function rhythmIn(rules: Rules): Pick<Story, "rhythm" | "times" | "every" | "waits"> {
  const rhythm = rhythmOf(rules);
  return {
    rhythm,
    times: "times" in rhythm ? rhythm.times : 0,
    every: "every" in rhythm ? rhythm.every : 0,
    waits: "weekdays" in rhythm ? week.map((day) => nthDue(rhythm, day, 1) - day) : null,
  };
}

function complete(story: Story, day: number): void {
  breakBefore(story, day);
  if (story.count === 0 && !(story.times > 0 && weekStart(story.since) === weekStart(day))) story.since = day;
  story.seen++;
  story.at = day;
  story.from = day + 1;
  story.misses = 0;
  story.isEdited = false;
  if (story.times > 0) completeInWeek(story, weekStart(day));
  else story.count++;
  if (story.count > story.longest) story.longest = story.count;
}

/** A completion counts towards every open week, but only its own week adds to the streak, and only once. */
function completeInWeek(story: Story, week: number): void {
  if (story.count === 0) story.firstWeek = week;
  if (story.countedWeek !== week && hasSince(story, week)) {
    story.countedWeek = week;
    story.count++;
  }
  story.firstWeek = firstOpenWeek(story);
}

/**
 * The first edit since the last completion forgives earlier misses, and week schedules then count whole weeks. A further
 * edit only changes the rules.
 */
function edit(story: Story, to: Rules, day: number): void {
  breakBefore(story, day);
  story.misses = story.isEdited ? story.misses + missedBefore(story, day) : 0;
  if (!story.isEdited) story.firstWeek = weekStart(day + 6);
  story.isEdited = true;
  story.at = day;
  story.from = story.done[story.seen - 1] === day ? day + 1 : day;
  Object.assign(story, { rules: to, ...rhythmIn(to) });
}

function breakBefore(story: Story, day: number): void {
  if (story.count === 0 || isInTime(story, day) || day <= aliveThrough(story)) return;
  story.broken.push(runOf(story));
  story.count = 0;
  story.countedWeek = null;
}

/** True if nothing can have been missed before a day. Most days come in time, so the end is rarely computed. */
function isInTime(story: Story, day: number): boolean {
  if (story.times > 0) return day <= story.firstWeek + 6;
  return day <= story.from || day <= firstDue(story);
}

/** The last day on which the streak lives if nothing more is done; Infinity in a pause without an end. */
function aliveThrough(story: Story): number {
  const { rules, rhythm, free, misses, at } = story;
  if (!("times" in rhythm))
    return nthAsked(rhythm, firstDue(story), 1 + Math.max(0, rules.grace_days - misses), free);
  const monday = firstOpenWeek(story);
  return firstAsked(free, Math.max(at, nthAsked({ every: 1 }, monday, 7 + rules.grace_days, free)));
}

/** `every_days` counts from the last completion. */
const firstDue = ({ done, seen, from, every, waits }: Story): number =>
  waits ? from + (waits[isoWeekday(from)] ?? 0) : Math.max(from, (done[seen - 1] ?? 0) + every);

/** The number of due days before a day that were missed since `from`. */
function missedBefore(story: Story, day: number): number {
  const { rhythm, free } = story;
  if ("times" in rhythm) return 0;
  let missed = 0;
  for (let one = firstDue(story); one < day; one = nthDue(rhythm, one + 1, 1))
    if (!isFree(free, one)) missed++;
  return missed;
}

/** The first week from `firstWeek` on that asks for more completions: those of a later week count for it as well. */
function firstOpenWeek(story: Story): number {
  let week = story.firstWeek;
  for (let next = week; ; week = next) {
    next = hasSince(story, week) ? week + 7 : firstAsked(story.freeWeeks, week);
    if (next === week || next === Number.POSITIVE_INFINITY) return next;
  }
}

/** True if a week's number of completions was done since a day. */
const hasSince = ({ done, seen, times }: Story, day: number): boolean => (done[seen - times] ?? -1) >= day;
