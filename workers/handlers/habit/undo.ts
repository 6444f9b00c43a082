import { habitNotCompleted } from "../../../shared/domain/conflicts.ts";
import { undo } from "../../../shared/domain/habit/streak.ts";
import { notFound } from "../../../shared/errors.ts";
import type { Handler } from "../handler.ts";
import { checkDate, checkSettled, completionRows, whichDay } from "./completion-day.ts";
import { currentHabit, habitAnswer, lockHabit, relatedToHabit, updateStreak } from "./rows.ts";
import { rulesOf } from "./rules.ts";

export const habitUndo: Handler<"habit.undo"> = {
  rows: (input, acceptedAt) => [...lockHabit(input), ...completionRows(input, acceptedAt)],
  related: relatedToHabit,
  current: currentHabit,
  run(context, { habit_id, date: given }) {
    const { today, completions } = context;
    const outOfReach = checkDate(context, given);
    if (outOfReach) return outOfReach;
    const row = context.habits.get(habit_id);
    if (!row) return notFound("Habit");
    const settled = checkSettled(row, given);
    if (settled) return settled;
    const date = given ?? today.date;
    const streak = undo(row.streak_state, rulesOf(row), date, today.date);
    if (streak === "not_completed") return habitNotCompleted(whichDay(context, date));
    completions.remove(habit_id, date);
    return habitAnswer(context, updateStreak(context, row, streak, row.completions_count - 1));
  },
};
