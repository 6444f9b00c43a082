import { notFound } from "../../../shared/errors.ts";
import type { Handler } from "../handler.ts";
import { currentHabit, lockHabit, relatedToHabit } from "./rows.ts";

export const habitDelete: Handler<"habit.delete"> = {
  rows: lockHabit,
  related: relatedToHabit,
  current: currentHabit,
  run({ habits }, { habit_id }) {
    if (!habits.get(habit_id)) return notFound("Habit");
    habits.remove(habit_id);
    return null;
  },
};
