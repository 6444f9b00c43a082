import type { HabitRow } from "../../../shared/db/entities.ts";
import { habitAlreadySkipped, habitDayDone } from "../../../shared/domain/conflicts.ts";
import { dayNumber, isoWeekday } from "../../../shared/domain/day/day.ts";
import { isFree, spansOf } from "../../../shared/domain/habit/free-days.ts";
import { isDoneOn } from "../../../shared/domain/habit/history.ts";
import { rhythmOf } from "../../../shared/domain/habit/rhythm.ts";
import { conflict, isRefused } from "../../../shared/errors.ts";
import type { Handler } from "../handler.ts";
import { checkSkipDate, habitOnDay, whichDay } from "./completion-day.ts";
import { currentHabit, habitAnswer, lockHabit, relatedToHabit, updateHistory } from "./rows.ts";

export const habitSkip: Handler<"habit.skip"> = {
  stores: "more",
  rows: lockHabit,
  related: relatedToHabit,
  current: currentHabit,
  run(context, input) {
    const found = habitOnDay(context, input, checkSkipDate);
    if (isRefused(found)) return found;
    const { row, date } = found;
    const day = whichDay(context, date);
    if (isDoneOn(row, date)) return habitDayDone(day);
    if (row.skipped_dates.includes(date)) return habitAlreadySkipped(day);
    if (isNeverDue(row, date)) return conflict(`Habit is not due ${day}`, "choose a day on which it is.");
    const skipped_dates = [...row.skipped_dates, date].sort();
    return habitAnswer(context, updateHistory(context, row, { skipped_dates }));
  },
};

/** True if no day like this is ever due. Other rhythms than weekdays decide only when the day comes. */
function isNeverDue(row: HabitRow, date: string): boolean {
  const rhythm = rhythmOf(row);
  const day = dayNumber(date);
  if ("weekdays" in rhythm && !rhythm.weekdays.includes(isoWeekday(day))) return true;
  return isFree(spansOf({ pauses: row.pauses, skipped_dates: [] }), day);
}
