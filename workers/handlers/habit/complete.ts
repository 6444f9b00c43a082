import { complete } from "../../../shared/domain/streak.ts";
import { conflict, notFound } from "../../../shared/errors.ts";
import type { Handler } from "../handler.ts";
import { currentHabit, habitAnswer, lockHabit, relatedToHabit, updateStreak } from "./rows.ts";
import { rulesOf } from "./rules.ts";

export const habitComplete: Handler<"habit.complete"> = {
  rows: lockHabit,
  related: relatedToHabit,
  current: currentHabit,
  run(context, { habit_id }) {
    const row = context.habits.get(habit_id);
    if (!row) return notFound("Habit");
    const { date } = context.today;
    const streak = complete(row.streak_state, rulesOf(row), date);
    if (streak === "already_completed") return conflict("Habit is already completed today.");
    context.completions.insert({ habit_id, local_date: date, completed_at: context.now });
    return habitAnswer(context, updateStreak(context, row, streak, row.completions_count + 1));
  },
};
