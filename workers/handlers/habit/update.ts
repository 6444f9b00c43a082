import { habitFields } from "../../../shared/contracts/habit/fields.ts";
import { editRules } from "../../../shared/domain/habit/streak.ts";
import { isRefused, notFound } from "../../../shared/errors.ts";
import { categoryRows, chosenCategory, relatedToChoice } from "../category/chosen.ts";
import { givenColumns } from "../columns.ts";
import type { Handler } from "../handler.ts";
import { checkPause, pauseAfter, withPauseOf } from "./pause.ts";
import { currentHabit, habitAnswer, lockHabit, relatedToHabit, streakColumns } from "./rows.ts";
import { checkSchedule, rulesOf } from "./rules.ts";

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
      updated_at: context.now,
    };
    // Another frequency clears a schedule that the request does not name.
    if (frequency !== row.frequency) changed.schedule ??= null;
    const rules = rulesOf({ ...row, ...changed });
    const edited = editRules(row.streak_state, rulesOf(row), rules, today);
    const streak = withPauseOf(row, { state: edited, rules, pause, today });
    const updated = context.habits.update(row, { ...changed, ...streakColumns(streak, rules) });
    return habitAnswer(context, updated);
  },
};
