import { habitAlreadySkipped, habitDayDone } from "../../../shared/domain/conflicts.ts";
import { conflict, isRefused, type Refused } from "../../../shared/errors.ts";
import type { Handler, HandlerContext } from "../handler.ts";
import { checkSkipDate, habitOnDay, whichDay } from "./completion-day.ts";
import { currentHabit, habitAnswer, lockHabit, relatedToHabit, updateStreak } from "./rows.ts";
import { rulesOf } from "./rules.ts";
import { skipDay } from "./streak-skip.ts";

export const habitSkip: Handler<"habit.skip"> = {
  stores: "more",
  rows: lockHabit,
  related: relatedToHabit,
  current: currentHabit,
  run(context, input) {
    const found = habitOnDay(context, input, checkSkipDate);
    if (isRefused(found)) return found;
    const { row, date } = found;
    const streak = skipDay(row.streak_state, rulesOf(row), date, context.today.date);
    if (typeof streak === "string") return refusals[streak](context, date);
    return habitAnswer(context, updateStreak(context, row, streak, row.completions_count));
  },
};

const refusals: Readonly<
  Record<
    "already_completed" | "already_skipped" | "not_due",
    (context: HandlerContext, date: string) => Refused
  >
> = {
  already_completed: (context, date) => habitDayDone(whichDay(context, date)),
  already_skipped: (context, date) => habitAlreadySkipped(whichDay(context, date)),
  not_due: (context, date) =>
    conflict(`Habit is not due ${whichDay(context, date)}`, "choose a day on which it is."),
};
