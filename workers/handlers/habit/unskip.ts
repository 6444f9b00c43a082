import { habitNotSkipped } from "../../../shared/domain/conflicts.ts";
import { isRefused } from "../../../shared/errors.ts";
import type { Handler } from "../handler.ts";
import { checkSkipDate, habitOnDay, whichDay } from "./completion-day.ts";
import { currentHabit, habitAnswer, lockHabit, relatedToHabit, updateStreak } from "./rows.ts";
import { rulesOf } from "./rules.ts";
import { unskipDay } from "./streak-skip.ts";

export const habitUnskip: Handler<"habit.unskip"> = {
  rows: lockHabit,
  related: relatedToHabit,
  current: currentHabit,
  run(context, input) {
    const found = habitOnDay(context, input, checkSkipDate);
    if (isRefused(found)) return found;
    const { row, date } = found;
    const streak = unskipDay(row.streak_state, rulesOf(row), date, context.today.date);
    if (streak === "not_skipped") return habitNotSkipped(whichDay(context, date));
    return habitAnswer(context, updateStreak(context, row, streak, row.completions_count));
  },
};
