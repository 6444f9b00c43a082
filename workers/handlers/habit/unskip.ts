import { habitNotSkipped } from "../../../shared/domain/conflicts.ts";
import { isRefused } from "../../../shared/errors.ts";
import type { Handler } from "../handler.ts";
import { checkSkipDate, habitOnDay, whichDay } from "./completion-day.ts";
import { currentHabit, habitAnswer, lockHabit, relatedToHabit, updateHistory } from "./rows.ts";

export const habitUnskip: Handler<"habit.unskip"> = {
  rows: lockHabit,
  related: relatedToHabit,
  current: currentHabit,
  run(context, input) {
    const found = habitOnDay(context, input, checkSkipDate);
    if (isRefused(found)) return found;
    const { row, date } = found;
    if (!row.skipped_dates.includes(date)) return habitNotSkipped(whichDay(context, date));
    const skipped_dates = row.skipped_dates.filter((one) => one !== date);
    return habitAnswer(context, updateHistory(context, row, { skipped_dates }));
  },
};
