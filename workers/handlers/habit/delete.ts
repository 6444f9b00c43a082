import { notFound } from "../../../shared/errors.ts";
import type { Handler } from "../handler.ts";
import { currentHabit, lockHabit, relatedToHabit } from "./rows.ts";

export const habitDelete: Handler<"habit.delete"> = {
  rows: lockHabit,
  related: relatedToHabit,
  current: currentHabit,
  run({ habits, completions }, { habit_id }) {
    if (!habits.get(habit_id)) return notFound("Habit");
    habits.remove(habit_id);
    // Completions stay, so that an undo finds them; but a habit that its own group made was never there.
    if (!habits.isKnown(habit_id))
      for (const row of completions.all())
        if (row.habit_id === habit_id) completions.remove(habit_id, row.local_date);
    return null;
  },
};
