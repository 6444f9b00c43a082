import { notFound } from "../../../shared/errors.ts";
import type { Handler } from "../handler.ts";
import { currentHabit, lockHabit, relatedToHabit } from "./rows.ts";

export const habitDelete: Handler<"habit.delete"> = {
  rows: lockHabit,
  related: relatedToHabit,
  current: currentHabit,
  run({ habits, amounts, completions }, { habit_id }) {
    const row = habits.get(habit_id);
    if (!row) return notFound("Habit");
    habits.remove(habit_id);
    // Completions stay for an undo. But a habit that its own group made was never visible.
    if (!habits.isKnown(habit_id))
      for (const days of [completions, amounts])
        for (const day of days.all()) if (day.habit_id === habit_id) days.remove(habit_id, day.local_date);
    return { id: habit_id, name: row.name, type: row.type };
  },
};
