import { habitFields } from "../../../shared/contracts/habit/fields.ts";
import { noHistory } from "../../../shared/domain/habit/history.ts";
import { streakColumns } from "../../../shared/domain/habit/streak.ts";
import { isRefused } from "../../../shared/errors.ts";
import { categoryRows, chosenCategory, relatedToChoice } from "../category/chosen.ts";
import { newColumns } from "../columns.ts";
import type { Handler } from "../handler.ts";
import { checkPause, noPause, pauseAfter, pausesAfter } from "./pause.ts";
import { noRings } from "./rings.ts";
import { habitAnswer } from "./rows.ts";
import { checkSchedule } from "./rules.ts";

export const habitCreate: Handler<"habit.create"> = {
  stores: "more",
  makes: "habits",
  rows: categoryRows,
  related: relatedToChoice,
  run(context, input) {
    const category = chosenCategory(context, input);
    if (isRefused(category)) return category;
    const today = context.today.date;
    const pause = pauseAfter(noPause, input);
    const refused =
      checkSchedule(input.frequency, input.schedule) ??
      checkPause(noPause, pause, today) ??
      context.useQuota("habits");
    if (refused) return refused;
    const pauses = pausesAfter({ ...noHistory, ...noPause }, pause, today);
    const columns = { ...newColumns(habitFields, { ...input, ...category() }), ...noHistory, pauses };
    const row = context.habits.insert({
      id: context.nextId("habits"),
      ...columns,
      recent_amounts: {},
      ...streakColumns(columns, today),
      ...noRings,
      former_category_id: null,
      created_at: context.now,
      updated_at: context.now,
    });
    return habitAnswer(context, row);
  },
};
