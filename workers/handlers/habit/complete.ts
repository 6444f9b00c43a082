import { habitCompleted } from "../../../shared/domain/conflicts.ts";
import { complete } from "../../../shared/domain/habit/streak.ts";
import { notFound } from "../../../shared/errors.ts";
import type { Handler } from "../handler.ts";
import { checkDate, checkSettled, whichDay } from "./completion-day.ts";
import { currentHabit, habitAnswer, lockHabit, relatedToHabit, updateStreak } from "./rows.ts";
import { rulesOf } from "./rules.ts";

export const habitComplete: Handler<"habit.complete"> = {
  stores: "more",
  rows: lockHabit,
  related: relatedToHabit,
  current: currentHabit,
  run(context, { habit_id, date: given }) {
    const { today, now, completions } = context;
    const outOfReach = checkDate(context, given);
    if (outOfReach) return outOfReach;
    const row = context.habits.get(habit_id);
    if (!row) return notFound("Habit");
    const settled = checkSettled(row, given);
    if (settled) return settled;
    const date = given ?? today.date;
    const streak = complete(row.streak_state, rulesOf(row), date, today.date);
    if (streak === "already_completed") return habitCompleted(whichDay(context, date));
    completions.insert({ habit_id, local_date: date, completed_at: now });
    return habitAnswer(context, updateStreak(context, row, streak, row.completions_count + 1));
  },
};
