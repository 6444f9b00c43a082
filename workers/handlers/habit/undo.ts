import { habitNotCompleted } from "../../../shared/domain/conflicts.ts";
import { isDoneOn, withoutDone } from "../../../shared/domain/habit/history.ts";
import { isRefused } from "../../../shared/errors.ts";
import type { Handler } from "../handler.ts";
import { relatedToDay, writeSum } from "./amount/rows.ts";
import { completionRows, habitOnDay, whichDay } from "./completion-day.ts";
import { currentHabit, habitAnswer, lockHabit, updateHistory } from "./rows.ts";

export const habitUndo: Handler<"habit.undo"> = {
  rows: (input, acceptedAt) => [...lockHabit(input), ...completionRows(input, acceptedAt)],
  related: relatedToDay,
  current: currentHabit,
  run(context, input) {
    const { amounts, completions } = context;
    const found = habitOnDay(context, input);
    if (isRefused(found)) return found;
    const { row, date } = found;
    const isCompleted = isDoneOn(row, date);
    if (!isCompleted && !amounts.get(row.id, date)) return habitNotCompleted(whichDay(context, date));
    const emptied = writeSum(context, row, date, undefined);
    if (!isCompleted) return habitAnswer(context, emptied);
    completions.remove(row.id, date);
    return habitAnswer(context, updateHistory(context, emptied, withoutDone(row, date)));
  },
};
