import type { Static } from "typebox";
import { descriptionLine, joined, lean, quoteStored, type ToolResult } from "../kernel/tool-result.ts";
import type { Habit, HabitOfWeek, TodayHabits } from "./schema.ts";

type HabitOutput = Static<typeof Habit>;
/** A habit by itself, or in the list of the day. */
type ShownHabit = HabitOutput & Partial<Static<typeof HabitOfWeek>>;

export const oneHabit = (verb: string, habit: HabitOutput): ToolResult => ({
  lines: [`${verb} ${habitLine(habit)}`],
  facts: { habit: factsOf(habit) },
});

type OfDay = { habit_id: number; date?: string };

export function completedHabit(habit: HabitOutput, { date }: OfDay): ToolResult {
  const verb = habit.type === "bad" ? "Avoided" : "Done";
  return ofDay(date, oneHabit(`${verb} ${date === undefined ? "today" : `on ${date}`}:`, habit));
}

export const undoneHabit = (habit: HabitOutput, { date }: OfDay): ToolResult =>
  ofDay(date, oneHabit(`Not done ${date === undefined ? "today" : `on ${date}`} any more:`, habit));

const ofDay = (date: string | undefined, { lines, facts }: ToolResult): ToolResult => ({
  lines,
  facts: date === undefined ? facts : { ...facts, date },
});

/** All that can be said of one habit. */
export function habitOverview(habit: HabitOutput): readonly string[] {
  const { grace_days, completions_count } = habit;
  const times = completions_count === 1 ? "once" : `${completions_count} times`;
  return [habitLine(habit), `grace days ${grace_days}, completed ${times}`];
}

/** @param all whether habits that are not due today were asked for, too */
export function dueHabits({ habits, total }: Static<typeof TodayHabits>, all: boolean): ToolResult {
  const none = all ? "There are no habits." : "No habits are due today.";
  const isCut = habits.length < total;
  return {
    lines: [
      ...(habits.length === 0 ? [none] : habits.map(habitLine)),
      ...(isCut ? [`These are ${habits.length} of ${total} habits; time_of_day shows fewer at a time.`] : []),
    ],
    facts: { habits: habits.map(factsOf), ...(isCut && { total }) },
  };
}

function factsOf(habit: ShownHabit): Record<string, unknown> {
  const { id, name, type, frequency, schedule, time_of_day, description } = habit;
  const { streak_count, longest_streak, streak_alive_through, is_completed_today } = habit;
  return lean({
    id,
    name,
    type,
    frequency,
    schedule,
    time_of_day,
    description,
    this_week: thisWeek(habit),
    streak_count,
    longest_streak,
    streak_alive_through,
    is_due_today: habit.is_due_today ?? null,
    is_completed_today,
    category: habit.category?.name ?? null,
  });
}

export function habitLine(habit: ShownHabit): string {
  const { id, name, type, time_of_day, description, is_completed_today, category } = habit;
  const week = thisWeek(habit);
  const details = joined([
    `${type} habit`,
    rhythmWords(habit),
    week && `${week} this week`,
    streakWords(habit),
    habit.is_due_today === true && !is_completed_today && "due today",
    is_completed_today && "completed today",
    time_of_day,
    category && `in ${quoteStored(category.name)}`,
  ]);
  return `#${id} ${quoteStored(name)}: ${details}${descriptionLine(description)}`;
}

const thisWeek = ({ week_progress: progress }: ShownHabit): string | null =>
  progress ? `${progress.done} of ${progress.target}` : null;

const weekdayNames = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

function rhythmWords({ frequency, schedule }: HabitOutput): string {
  if (schedule === null) return frequency === "custom" ? "daily" : frequency;
  if ("every_days" in schedule) return `every ${schedule.every_days} days`;
  if ("times_per_week" in schedule) return `${schedule.times_per_week} times a week`;
  return schedule.weekdays
    .toSorted()
    .map((day) => weekdayNames[day - 1])
    .join("/");
}

function streakWords({ streak_count, longest_streak, streak_alive_through: end }: HabitOutput): string {
  const best = longest_streak > streak_count ? ` (best ${longest_streak})` : "";
  return `streak ${streak_count}${best}${end === null ? "" : ` alive through ${end}`}`;
}
