import { undo } from "../../../shared/domain/streak.ts";
import { conflict, notFound } from "../../../shared/errors.ts";
import type { Handler } from "../handler.ts";
import { currentHabit, habitAnswer, lockHabit, relatedToHabit, updateStreak } from "./rows.ts";
import { rulesOf } from "./rules.ts";

export const habitUndo: Handler<"habit.undo"> = {
  rows: lockHabit,
  related: relatedToHabit,
  current: currentHabit,
  run(context, { habit_id }) {
    const row = context.habits.get(habit_id);
    if (!row) return notFound("Habit");
    const { date } = context.today;
    const streak = undo(row.streak_state, rulesOf(row), date);
    if (streak === "not_completed") return conflict("Habit is not completed today.");
    context.completions.remove(habit_id, date);
    return habitAnswer(context, updateStreak(context, row, streak, row.completions_count - 1));
  },
};
