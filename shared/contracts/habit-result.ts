import type { Static } from "typebox";
import type { Habit } from "./habit-schema.ts";
import { joined, lean, oneLine, type ToolResult } from "./tool-result.ts";

type HabitOutput = Static<typeof Habit>;

export const oneHabit = (verb: string, habit: HabitOutput): ToolResult => ({
  lines: [`${verb} ${lineOf(habit)}`],
  facts: { habit: factsOf(habit) },
});

export const completedHabit = (habit: HabitOutput): ToolResult =>
  oneHabit(habit.type === "bad" ? "Avoided today:" : "Done today:", habit);

export const dueHabits = (habits: readonly HabitOutput[]): ToolResult => ({
  lines: habits.length === 0 ? ["No habits are due today."] : habits.map(lineOf),
  facts: { habits: habits.map(factsOf) },
});

/** All that can be said of one habit. */
export function habitOverview(habit: HabitOutput): readonly string[] {
  const { longest_streak, streak_alive_through, grace_days, completions_count, schedule } = habit;
  const details = joined([
    schedule && `schedule ${JSON.stringify(schedule)}`,
    `longest streak ${longest_streak}`,
    streak_alive_through && `streak alive through ${streak_alive_through}`,
    `grace days ${grace_days}`,
    `completed ${completions_count} times`,
  ]);
  return [lineOf(habit), details];
}

function factsOf(habit: HabitOutput): Record<string, unknown> {
  const { id, name, type, frequency, time_of_day, description, streak_count, is_completed_today } = habit;
  const category = habit.category?.name ?? null;
  return lean({
    id,
    name,
    type,
    frequency,
    time_of_day,
    description,
    streak_count,
    is_completed_today,
    category,
  });
}

function lineOf(habit: HabitOutput): string {
  const { id, name, type, frequency, time_of_day, description, streak_count, is_completed_today } = habit;
  const { category } = habit;
  const details = joined([
    `${type} habit`,
    frequency,
    `streak ${streak_count}`,
    is_completed_today && "completed today",
    time_of_day,
    category && `in ${category.name}`,
  ]);
  return `#${id} ${name} — ${details}${description === null ? "" : `. ${oneLine(description)}`}`;
}
