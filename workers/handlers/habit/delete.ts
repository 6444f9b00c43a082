import { notFound } from "../../../shared/errors.ts";
import type { Handler } from "../handler.ts";
import { currentHabit, lockHabit, relatedToHabit } from "./rows.ts";

export const habitDelete: Handler<"habit.delete"> = {
  rows: lockHabit,
  related: relatedToHabit,
  current: currentHabit,
  run({ habits, completions }, { habit_id }) {
    if (!habits.get(habit_id)) return notFound("Habit");
    // The foreign key removes those that are stored, but not those that a group is about to write.
    for (const row of completions.all())
      if (row.habit_id === habit_id) completions.remove(habit_id, row.local_date);
    habits.remove(habit_id);
    return null;
  },
};
