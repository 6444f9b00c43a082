import { habitNotCompleted } from "../../../shared/domain/conflicts.ts";
import { undo } from "../../../shared/domain/habit/streak.ts";
import { isRefused } from "../../../shared/errors.ts";
import type { Handler } from "../handler.ts";
import { relatedToDay, writeSum } from "./amount/rows.ts";
import { completionRows, habitOnDay, whichDay } from "./completion-day.ts";
import { currentHabit, habitAnswer, lockHabit, updateStreak } from "./rows.ts";
import { rulesOf } from "./rules.ts";

export const habitUndo: Handler<"habit.undo"> = {
  rows: (input, acceptedAt) => [...lockHabit(input), ...completionRows(input, acceptedAt)],
  related: relatedToDay,
  current: currentHabit,
  run(context, input) {
    const { today, amounts, completions } = context;
    const found = habitOnDay(context, input);
    if (isRefused(found)) return found;
    const { row, date } = found;
    const streak = undo(row.streak_state, rulesOf(row), date, today.date);
    const isEmpty = streak === "not_completed" && !amounts.get(row.id, date);
    if (isEmpty) return habitNotCompleted(whichDay(context, date));
    const emptied = writeSum(context, row, date, undefined);
    if (streak === "not_completed") return habitAnswer(context, emptied);
    completions.remove(row.id, date);
    return habitAnswer(context, updateStreak(context, emptied, streak, row.completions_count - 1));
  },
};
