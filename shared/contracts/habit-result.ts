import type { Static } from "typebox";
import type { completeHabit, createHabit, todayHabits } from "./habit.ts";
import type { Habit } from "./habit-schema.ts";
import { lean, list, oneLine, presenter } from "./tool-result.ts";

type Habit_ = Static<typeof Habit>;

export const today = presenter<typeof todayHabits>({
  facts: { habits: { type: "array", items: { type: "object" } } },
  present: ({ habits }) => ({
    lines: habits.length === 0 ? ["No habits are due today."] : habits.map(line),
    facts: { habits: habits.map(facts) },
  }),
});

export const created = presenter<typeof createHabit>({
  facts: { habit: { type: "object" } },
  present: (habit) => ({ lines: [`Created ${line(habit)}`], facts: { habit: facts(habit) } }),
});

export const completed = presenter<typeof completeHabit>({
  facts: { habit: { type: "object" } },
  present: (habit) => ({
    lines: [`${habit.type === "bad" ? "Avoided today" : "Done today"}: ${line(habit)}`],
    facts: { habit: facts(habit) },
  }),
});

function facts(habit: Habit_): Record<string, unknown> {
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

function line({ id, name, type, frequency, ...habit }: Habit_): string {
  const { time_of_day, streak_count, is_completed_today, category, description } = habit;
  const details = list([
    `${type} habit`,
    frequency,
    `streak ${streak_count}`,
    is_completed_today && "completed today",
    time_of_day,
    category && `in ${category.name}`,
  ]);
  return `#${id} ${name} — ${details}${description === null ? "" : `. ${oneLine(description)}`}`;
}
