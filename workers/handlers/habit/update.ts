import { habitFields } from "../../../shared/contracts/habit/fields.ts";
import { edited } from "../../../shared/domain/habit/history.ts";
import { isRefused, notFound } from "../../../shared/errors.ts";
import { categoryRows, chosenCategory, relatedToChoice } from "../category/chosen.ts";
import { givenColumns } from "../columns.ts";
import type { Handler } from "../handler.ts";
import { checkPause, pauseAfter, pausesAfter } from "./pause.ts";
import { currentHabit, habitAnswer, lockHabit, relatedToHabit, updateHistory } from "./rows.ts";
import { checkSchedule } from "./rules.ts";

export const habitUpdate: Handler<"habit.update"> = {
  stores: "more",
  rows: (input) => [...lockHabit(input), ...categoryRows(input)],
  related(loaded, input) {
    const [habit, choice] = [relatedToHabit(loaded, input), relatedToChoice(loaded, input)];
    return { rows: [...habit.rows, ...choice.rows], makes: choice.makes };
  },
  current: currentHabit,
  run(context, { habit_id, ...input }) {
    const row = context.habits.get(habit_id);
    const frequency = input.frequency ?? row?.frequency;
    const category = chosenCategory(context, input);
    if (isRefused(category)) return category;
    const refused = checkSchedule(frequency, input.schedule);
    if (refused) return refused;
    if (!row) return notFound("Habit");
    const today = context.today.date;
    const pause = pauseAfter(row, input);
    const wrongPause = checkPause(row, pause, today);
    if (wrongPause) return wrongPause;
    const changed = {
      ...givenColumns(habitFields, { ...input, ...category() }),
      ...pause,
    };
    // Another frequency clears a schedule that the request does not name.
    if (frequency !== row.frequency) changed.schedule ??= null;
    const edits = edited(row, { ...row, ...changed }, today);
    const pauses = pausesAfter(row, pause, today);
    return habitAnswer(context, updateHistory(context, row, { ...changed, edits, pauses }));
  },
};
