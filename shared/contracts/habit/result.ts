import type { Static } from "typebox";
import { daysBetween } from "../../domain/day/day.ts";
import {
  factsBy,
  joined,
  quoteStored,
  type ToolResult,
  type Unleaned,
  wordsOfOthers,
} from "../kernel/tool.ts";
import { HabitFacts } from "./facts.ts";
import { amountsOf, amountWords, historyOf, historyWords, type Period } from "./history.ts";
import type { TodayHabits } from "./schema.ts";
import { listsAll, type TodayInput } from "./today.ts";
import {
  amountOf,
  type HabitOutput,
  pauseWords,
  rhythmWords,
  type ShownHabit,
  streakWords,
  sumOn,
  targetWords,
} from "./words.ts";

export function oneHabit(verb: string, habit: HabitOutput): ToolResult {
  const reachesNobody = habit.reaches === "nobody";
  return {
    lines: [`${verb} ${habitLine(habit)}`],
    facts: { habit: { ...factsOf(habit), ...(reachesNobody && { reaches: "nobody" }) } },
    reachesNobody,
  };
}

export function changedHabit(habit: HabitOutput): ToolResult {
  const { grace_days } = habit;
  return {
    lines: [`Changed ${habitLine(habit)}`, `grace days ${grace_days}`],
    facts: { habit: { ...factsOf(habit), grace_days } },
  };
}

type NamedHabit = Readonly<{ id: number; name: string }>;

/** @param habit null in an answer of an earlier release */
export const deletedHabit = (habit: NamedHabit | null, { habit_id }: { habit_id: number }): ToolResult => ({
  lines: [`Deleted habit #${habit_id}${habit ? ` ${quoteStored(habit.name)}` : ""} with its completions.`],
  facts: { deleted_habit_id: habit_id, ...(habit && { name: habit.name }) },
  canReturn: true,
});

type OfDay = { habit_id: number; date?: string; amount?: number };

export function completedHabit(habit: HabitOutput, day: OfDay): ToolResult {
  if (day.amount !== undefined && !isReached(habit, day)) return ofDay(habit, day, `Added ${day.amount}`);
  return ofDay(habit, day, habit.type === "bad" ? "Avoided" : "Done");
}

const isReached = (habit: HabitOutput, { date }: OfDay): boolean =>
  date === undefined ? habit.is_completed_today : (sumOn(habit, date) ?? 0) >= (habit.target ?? 0);

export function undoneHabit(habit: HabitOutput, day: OfDay): ToolResult {
  if (habit.type !== "bad") return ofDay(habit, day, "Not done", " any more");
  const { grace_days } = habit;
  const result = ofDay(habit, day, "Not avoided", " any more");
  const facts = { ...result.facts, habit: { ...factsOf(habit), grace_days } };
  return { ...result, lines: [...result.lines, lapseWords(grace_days)], facts };
}

/** A person who tells of a lapse wants to know its effect on the streak. */
const lapseWords = (graceDays: number): string =>
  graceDays === 0
    ? "grace days 0: one lapse ends a streak"
    : `grace days ${graceDays}: a streak ends by more lapses in a row`;

export const skippedHabit = (habit: HabitOutput, day: OfDay): ToolResult => ofDay(habit, day, "Skipped");
export const unskippedHabit = (habit: HabitOutput, day: OfDay): ToolResult =>
  ofDay(habit, day, "Not skipped", " any more");

function ofDay(habit: HabitOutput, { date }: OfDay, verb: string, end = ""): ToolResult {
  if (date === undefined) return oneHabit(`${verb} today${end}:`, habit);
  // The sum of a day that was just added to is missing only where the day is too old to be in the answer.
  const amount = habit.target == null ? undefined : (sumOn(habit, date) ?? (end === "" ? undefined : 0));
  const counted = amount === undefined ? "" : `, ${amountOf(habit, amount)}`;
  const { facts, ...result } = oneHabit(`${verb} on ${date}${end}${counted}:`, habit);
  return { ...result, facts: { ...facts, date, ...(amount !== undefined && { amount }) } };
}

/** All facts of one habit. */
export function habitOverview(habit: HabitOutput): readonly string[] {
  const { grace_days, completions_count } = habit;
  const times = completions_count === 1 ? "once" : `${completions_count} times`;
  return [habitLine(habit), `grace days ${grace_days}, completed ${times}`];
}

export function dueHabits(today: Static<typeof TodayHabits>, asked: TodayInput): ToolResult {
  const { habits, total, period, next_cursor } = today;
  const shown = habits.map((habit) => (period ? inPast(habit, period) : habit));
  const isCut = next_cursor !== null;
  return {
    lines: [
      ...(period ? [`Days done from ${period.from} to ${period.to}:`] : []),
      ...(shown.length === 0 ? [noneOf(asked)] : shown.map(habitLine)),
      ...(isCut ? [`These are ${habits.length} of ${total} habits. More with cursor ${next_cursor}`] : []),
    ],
    facts: { ...period, habits: shown.map(factsOf), ...(isCut && { total, next_cursor }) },
  };
}

/** Past days are told without what concerns today, because there can be many. */
function inPast({ done_days = [], day_amounts, ...habit }: ShownHabit, { from, to }: Period): ShownHabit {
  const length = daysBetween(from, to) + 1;
  const ofToday = {
    ...{ week_progress: null, streak_alive_through: null },
    ...{ is_completed_today: false, amount_today: null },
  };
  const { is_due_today: _, grace_left: __, ends_tonight: ___, ...lasting } = habit;
  const counted = day_amounts && amountsOf(day_amounts, length);
  return { ...lasting, ...ofToday, history: historyOf(done_days, length), counted };
}

function noneOf(asked: TodayInput): string {
  if (asked.cursor !== undefined) return "No more habits match.";
  if (!listsAll(asked)) return "No habits are due today.";
  const isNarrowed = (asked.query ?? asked.time_of_day) !== undefined;
  return isNarrowed ? "No habits match." : "There are no habits.";
}

function factsOf(habit: ShownHabit): Record<string, unknown> {
  const { history, counted } = habit;
  return factsBy(HabitFacts, habit, {
    ...{ this_week: thisWeek(habit), category: habit.category?.name ?? null },
    // Told where they matter.
    ...{ grace_days: null, reaches: null },
    ...history,
    ...counted,
  } satisfies Unleaned<typeof HabitFacts>);
}

export function habitLine(habit: ShownHabit): string {
  const { id, name, type, time_of_day, remind_at, is_completed_today, category } = habit;
  const week = thisWeek(habit);
  const details = joined([
    `${type} habit`,
    rhythmWords(habit),
    week && `${week} this week`,
    streakWords(habit),
    habit.grace_left !== undefined && `grace left ${habit.grace_left}`,
    targetWords(habit),
    habit.history && historyWords(habit.history),
    habit.counted && amountWords(habit.counted),
    pauseWords(habit),
    habit.is_due_today === true && !is_completed_today && "due today",
    is_completed_today && "completed today",
    time_of_day,
    remind_at && `reminds at ${remind_at}`,
    category && `in ${quoteStored(category.name)}`,
  ]);
  return `#${id} ${quoteStored(name)}: ${details}${wordsOfOthers(habit)}`;
}

const thisWeek = ({ week_progress: progress }: ShownHabit): string | null =>
  progress ? `${progress.done} of ${progress.target}` : null;
